// The reading pane: a passage in its surroundings, and the page of the book with its lines marked.
import { announce, book, copy, count, el, put, svg } from "./dom.js";
import { get, pagePath, passagePath } from "./api.js";
import { passageLink, place, sources } from "./cards.js";

let shown = null;
let cameFrom = null;

const pane = () => document.getElementById("pane");

export async function open(id, quote, works) {
  const wanted = `${id} ${quote ?? ""}`;
  if (shown === wanted) return;
  if (!shown) cameFrom = document.activeElement;
  shown = wanted;
  pane().hidden = false;
  document.querySelector(".rooms").classList.add("reading");
  document.body.classList.add("wide");
  if (!pane().childElementCount) pane().append(el("p", { class: "waiting" }, "Opening the book …"));
  try {
    const found = await get(passagePath(id, quote));
    const all = await works();
    if (shown !== wanted) return;
    show(found, all, quote);
  } catch (error) {
    put(pane(), el("div", { class: "pane-head" }, el("h2", { id: "pane-title" }, "This passage is not here"), closer()), el("p", { class: "problem" }, error.message));
  }
  // A page of the book stands first; without one the passage itself is what was asked for.
  const passage = pane().querySelector(".passage");
  pane().scrollTop = passage && !pane().querySelector("[data-page]") ? Math.max(0, passage.offsetTop - 130) : 0;
  pane().focus({ preventScroll: true });
}

export function close() {
  if (!shown) return;
  shown = null;
  pane().hidden = true;
  put(pane());
  document.querySelector(".rooms").classList.remove("reading");
  if (document.getElementById("compare").getAttribute("aria-pressed") !== "true") document.body.classList.remove("wide");
  cameFrom?.focus?.();
}

const leave = () => { location.hash = location.hash.split("?")[0] || "#ask"; };
export const isOpen = () => shown !== null;
export { leave };

const closer = () => el("button", { type: "button", class: "link", onclick: leave }, "Close");

function show(found, works, quote) {
  const p = found.passage;
  const work = works.find((w) => w.volume === p.volume);
  const figure = el("div", { "data-page": work?.has_pages && p.page ? "" : null });
  const said = el("span", { class: "said", role: "status" });
  const chapters = work?.chapters ?? [];
  put(pane(), 
    el("div", { class: "pane-head" }, book("h2", p.work, { id: "pane-title" }), closer()),
    book("p", place(p).replace(/^ · /, ""), { class: "where" }),
    el("div", { class: "pane-tools" },
      found.previous ? el("a", { href: passageLink(found.previous), rel: "prev" }, "← Previous") : null,
      found.next ? el("a", { href: passageLink(found.next), rel: "next" }, "Next →") : null,
      el("button", { type: "button", class: "link", onclick: async () => { said.textContent = (await copy(`${p.paragraphs.join("\n\n")}\n\n${p.citation}`)) ? "Copied." : ""; } }, "Copy with its place"), said),
    chapters.length > 1 ? el("div", { class: "pane-tools" },
      el("label", { for: "to-chapter" }, "Chapter"),
      el("select", { id: "to-chapter", onchange: (event) => { location.hash = passageLink(event.target.value); } },
        chapters.some((c) => c.title === p.chapter) ? null : el("option", { value: p.chunk_id, selected: true }, "–"),
        chapters.map((c) => el("option", { value: c.chunk_id, selected: c.title === p.chapter }, c.title)))) : null,
    figure,
    found.before.map((b) => around(b)),
    el("div", { class: "passage", dir: "auto", lang: p.language }, p.paragraphs.map((text) => el("p", { dir: "auto" }, marked(text, quote)))),
    found.after.map((a) => around(a)),
    found.elsewhere.length ? [el("h3", { class: "quiet" }, "Close to this, elsewhere in these books"), sources(found.elsewhere)] : null);
  announce(`${p.work}, ${p.chapter ?? ""}`);
  if (work?.has_pages && p.page) showPage(figure, p, found.start_page, quote);
}

/** The quoted words marked where they stand letter by letter. */
function marked(text, quote) {
  const at = quote ? text.indexOf(quote) : -1;
  return at < 0 ? text : [text.slice(0, at), el("mark", {}, quote), text.slice(at + quote.length)];
}

const boxes = (all, kind) => all.map(([x0, y0, x1, y1]) =>
  svg("rect", { class: kind, x: x0 - 1, y: y0, width: Math.max(1, x1 - x0 + 2), height: Math.max(1, y1 - y0), rx: 1.5 }));

const around = (p) => el("div", { class: "around", lang: p.language }, p.paragraphs.map((text) => book("p", text)));

async function showPage(figure, p, page, quote) {
  const wanted = shown;
  let found;
  try {
    found = await get(pagePath(p, page, quote));
  } catch {
    return;
  }
  if (found.kind !== "picture" || shown !== wanted) return;
  const name = found.label ? `Page ${found.label} (page ${page} of the file)` : `Page ${page} of the file`;
  const lines = found.boxes.length ? `; ${count(found.boxes.length, "line")} of the passage marked` : "; the passage is not on this page";
  const turn = (to, text) => (to >= 1 && to <= found.pages ? el("button", { type: "button", class: "link", onclick: () => showPage(figure, p, to, quote) }, text) : null);
  put(figure, el("figure", { class: "page" },
    el("figcaption", {}, name + lines),
    svg("svg", { viewBox: `0 0 ${found.width} ${found.height}`, role: "img", "aria-label": `${name} of ${p.work}${lines}` },
      svg("image", { href: found.picture, width: found.width, height: found.height }),
      boxes(found.boxes, "line"), boxes(found.quoted, "line quoted")),
    el("div", { class: "pane-tools" }, turn(page - 1, "← Page before"), turn(page + 1, "Page after →"))));
}
