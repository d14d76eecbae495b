// The page: which room is open, the question, the filters.
import { el } from "./dom.js";
import { get } from "./api.js";
import * as cards from "./cards.js";
import * as pane from "./pane.js";
import { show as showWorks } from "./works.js";

const byId = (id) => document.getElementById(id);
const NAMES = { ask: "Ask", concepts: "Concepts", works: "Books" };

let known = null;
/** The works, fetched once. */
function works() {
  known ??= get("/api/works").catch((error) => { known = null; throw error; });
  return known.then((found) => found.works);
}

async function route() {
  const [path, query] = location.hash.replace(/^#/, "").split("?");
  const [name, argument] = path.split("/");
  const room = name in NAMES ? name : "ask";
  for (const each of Object.keys(NAMES)) {
    byId(`room-${each}`).hidden = each !== room;
    const link = document.querySelector(`[data-room="${each}"]`);
    if (each === room) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  document.title = room === "ask" ? "Reading room" : `${NAMES[room]} · Reading room`;
  const asked = new URLSearchParams(query ?? "");
  if (asked.get("passage")) pane.open(asked.get("passage"), asked.get("quote"), works);
  else pane.close();
  document.body.classList.toggle("mapping", room === "concepts");
  if (room === "concepts") {
    const map = await import("./map.js");
    await map.open(argument ? decodeURIComponent(argument) : null, (question) => { location.hash = "#ask"; ask(question); });
  }
  if (room === "works") {
    try {
      await works();
      showWorks(await known);
    } catch (error) {
      byId("works-said").textContent = error.message;
    }
  }
}

function filters() {
  const chosen = (id) => (byId(id).value ? [byId(id).value] : []);
  return { works: chosen("filter-work"), languages: chosen("filter-language"), concepts: chosen("filter-concept") };
}

function sayFilters() {
  const said = ["filter-work", "filter-language", "filter-concept"].map((id) => byId(id)).filter((s) => s.value).map((s) => s.selectedOptions[0].textContent);
  byId("filters-said").textContent = said.length ? `: ${said.join(", ")}` : "";
}

function ask(question) {
  cards.askCard(question, filters());
}

byId("ask-form").addEventListener("submit", (event) => {
  event.preventDefault();
  const question = byId("question").value.trim();
  if (!question) {
    byId("question").focus();
    return;
  }
  byId("question").value = "";
  ask(question);
});
byId("question").addEventListener("keydown", (event) => {
  if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
    event.preventDefault();
    byId("ask-form").requestSubmit();
  }
});
byId("compare").addEventListener("click", () => cards.compare(byId("compare").getAttribute("aria-pressed") !== "true"));
byId("clear").addEventListener("click", cards.clear);
for (const id of ["filter-work", "filter-language", "filter-concept"]) byId(id).addEventListener("change", sayFilters);
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && pane.isOpen()) pane.leave();
});
window.addEventListener("hashchange", route);

async function fillFilters() {
  const [found, concepts] = await Promise.all([works(), get("/api/concepts")]);
  byId("filter-work").append(...found.map((w) => el("option", { value: w.volume }, w.title)));
  const languages = [...new Set(found.map((w) => w.language).filter(Boolean))].sort();
  const names = new Intl.DisplayNames(["en"], { type: "language" });
  byId("filter-language").append(...languages.map((l) => el("option", { value: l }, names.of(l))));
  byId("filter-concept").append(...concepts.nodes.map((n) => n.name).sort().map((n) => el("option", { value: n }, n)));
}

async function offerExamples() {
  const { examples } = await get("/api/examples");
  byId("examples").querySelector("ul").replaceChildren(...examples.map((question) =>
    el("li", {}, el("button", { type: "button", onclick: () => ask(question) }, question))));
  byId("examples").hidden = !examples.length || document.querySelector(".card") !== null;
}

cards.restore();
route();
fillFilters().catch((error) => {
  byId("cards").before(el("p", { class: "problem", role: "alert" }, error.message));
});
offerExamples().catch(() => { /* the question box is enough */ });
