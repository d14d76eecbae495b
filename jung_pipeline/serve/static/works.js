// The volumes at a glance.
import { count, el, book } from "./dom.js";

export function show(found) {
  document.getElementById("works-said").textContent =
    `${count(found.works.length, "book")}, ${count(found.passages, "passage")}.`;
  document.getElementById("works").replaceChildren(...found.works.map(work));
}

function work(w) {
  const years = w.original_year && w.original_year !== w.year ? `${w.original_year}, this edition ${w.year ?? "undated"}` : w.year;
  const facts = [w.author, w.translator ? `translated by ${w.translator}` : null, years, w.language, count(w.passages, "passage"), w.file && w.file.pages > 1 ? count(w.file.pages, "page") : null];
  const quality = w.file?.quality;
  return el("li", {},
    book("h3", w.title, {}, w.language),
    el("p", { class: "facts" }, facts.filter(Boolean).join(" · ")),
    quality !== null && quality !== undefined
      ? el("div", { class: "facts" }, `Text quality ${Math.round(100 * quality)} of 100${w.file.without_text ? `; ${count(w.file.without_text, "page")} without usable text` : ""}`,
        el("meter", { min: 0, max: 1, low: 0.6, high: 0.85, optimum: 1, value: quality, "aria-label": `Text quality of ${w.title}` })) : null,
    w.concepts.length ? el("ul", { class: "chips", "aria-label": "Concepts" }, w.concepts.map((c) => el("li", {}, el("button", { type: "button", onclick: () => { location.hash = `#concepts/${encodeURIComponent(c)}`; } }, c)))) : null,
    w.chapters.length ? el("details", {}, el("summary", {}, count(w.chapters.length, "chapter")),
      el("ol", {}, w.chapters.map((c) => el("li", {}, el("a", { href: `#works?passage=${encodeURIComponent(c.chunk_id)}`, dir: "auto" }, c.title))))) : null);
}
