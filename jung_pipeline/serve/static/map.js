// The concept map: concepts as nodes sized by use, joined where they meet. Laid out by d3-force, loaded when opened.
import { announce, count, el, put, svg } from "./dom.js";
import { get } from "./api.js";
import { sources } from "./cards.js";

const WIDTH = 900;
const HEIGHT = 640;
let drawn = null;

function script(path) {
  return new Promise((resolve, reject) => {
    const tag = el("script", { src: path });
    tag.onload = resolve;
    tag.onerror = () => reject(new Error("The map cannot be drawn; the list below holds the same."));
    document.head.append(tag);
  });
}

async function layout(nodes, edges) {
  for (const part of ["dispatch", "quadtree", "timer", "force"]) await script(`/vendor/d3-${part}.min.js`);
  const { d3 } = window;
  const force = d3.forceSimulation(nodes)
    .force("link", d3.forceLink(edges).id((n) => n.name).distance((e) => 50 + 130 * (1 - e.strength)).strength((e) => 0.15 + 0.6 * e.strength))
    .force("charge", d3.forceManyBody().strength(-420))
    .force("x", d3.forceX(WIDTH / 2).strength(0.06))
    .force("y", d3.forceY(HEIGHT / 2).strength(0.09))
    .force("apart", d3.forceCollide((n) => n.r + 13))
    .stop();
  for (let i = 0; i < 320; i += 1) force.tick();
  fit(nodes, "x", 70, WIDTH - 70);
  fit(nodes, "y", 50, HEIGHT - 36);
}

/** Stretch one coordinate of the nodes over the room there is. */
function fit(nodes, axis, from, to) {
  const least = Math.min(...nodes.map((n) => n[axis]));
  const span = Math.max(...nodes.map((n) => n[axis])) - least || 1;
  for (const n of nodes) n[axis] = from + ((n[axis] - least) / span) * (to - from);
}

/** Draw the map once, then choose a concept if one is named. */
export async function open(name, onAsk) {
  const room = document.getElementById("map");
  if (!drawn) {
    put(room, el("p", { class: "waiting" }, "Drawing the map …"));
    try {
      drawn = await get("/api/concepts");
    } catch (error) {
      put(room, el("p", { class: "problem" }, error.message));
      return;
    }
    listed(drawn.nodes);
    try {
      await draw(room, drawn);
    } catch (error) {
      put(room, el("p", { class: "problem" }, error.message));
      document.querySelector("#room-concepts .as-list").open = true;
    }
  }
  if (name) await choose(name, onAsk);
}

function listed(nodes) {
  put(document.getElementById("concept-list"), ...nodes.map((n) =>
    el("li", {}, el("button", { type: "button", onclick: () => go(n.name) }, `${n.name} (${n.passages})`))));
}

const go = (name) => { location.hash = `#concepts/${encodeURIComponent(name)}`; };

async function draw(room, { nodes, edges }) {
  if (!nodes.length) {
    put(room, el("p", { class: "hint" }, "No passage of this library is tagged with a concept."));
    return;
  }
  const most = Math.max(...nodes.map((n) => n.passages));
  for (const n of nodes) n.r = 6 + 26 * Math.sqrt(n.passages / most);
  const links = edges.map((e) => ({ source: e.a, target: e.b, ...e }));
  await layout(nodes, links);
  const lines = links.map((e) => svg("line", { x1: e.source.x, y1: e.source.y, x2: e.target.x, y2: e.target.y, "stroke-width": 0.6 + 5 * e.strength, "data-a": e.a, "data-b": e.b }));
  const marks = nodes.map((n, at) => svg("g", { class: "node", transform: `translate(${n.x} ${n.y})`, tabindex: at === 0 ? "0" : "-1", role: "button", "data-name": n.name,
    "aria-label": `${n.name}: ${count(n.passages, "passage")} in ${count(n.works, "book")}`,
    onclick: () => go(n.name), onkeydown: (event) => keyed(event, nodes, n) },
    svg("circle", { r: n.r }), svg("text", { y: -n.r - 4 }, n.name)));
  put(room, svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "group", "aria-label": "Concept map; arrow keys move from concept to concept" }, lines, marks));
}

/** Arrow keys go to the nearest concept in that direction, Enter chooses. */
function keyed(event, nodes, here) {
  if (event.key === "Enter" || event.key === " ") {
    event.preventDefault();
    go(here.name);
    return;
  }
  const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
  if (!step) return;
  event.preventDefault();
  let best = null;
  for (const n of nodes) {
    const along = (n.x - here.x) * step[0] + (n.y - here.y) * step[1];
    const aside = Math.abs((n.x - here.x) * step[1]) + Math.abs((n.y - here.y) * step[0]);
    if (along > 1 && (!best || along + 2 * aside < best.far)) best = { n, far: along + 2 * aside };
  }
  if (!best) return;
  for (const node of document.querySelectorAll("#map .node")) {
    const on = node.dataset.name === best.n.name;
    node.setAttribute("tabindex", on ? "0" : "-1");
    if (on) node.focus();
  }
}

async function choose(name, onAsk) {
  for (const node of document.querySelectorAll("#map .node")) node.classList.toggle("chosen", node.dataset.name === name);
  const near = new Set();
  for (const line of document.querySelectorAll("#map line")) {
    const on = line.dataset.a === name || line.dataset.b === name;
    line.classList.toggle("near", on);
    if (on) near.add(line.dataset.a).add(line.dataset.b);
  }
  for (const node of document.querySelectorAll("#map .node")) node.classList.toggle("near", near.has(node.dataset.name));
  const room = document.getElementById("concept");
  let found;
  try {
    found = await get(`/api/concepts/${encodeURIComponent(name)}`);
  } catch (error) {
    put(room, el("p", { class: "problem" }, error.message));
    return;
  }
  const most = Math.max(...found.works.map((w) => w.share));
  put(room, 
    el("h3", {}, found.name),
    el("p", { class: "said" }, `${count(found.passages, "passage")} in ${count(found.works.length, "book")}`),
    el("button", { type: "button", class: "link", onclick: () => onAsk(found.question) }, "Ask about it"),
    el("h4", { class: "quiet" }, found.works.some((w) => w.year) ? "Where it lives, over time" : "Where it lives"),
    el("ul", { class: "life" }, found.works.map((w) => el("li", {},
      el("span", { dir: "auto" }, `${w.year ? `${w.year} · ` : ""}${w.title}: ${count(w.passages, "passage")}`),
      el("meter", { min: 0, max: most, value: w.share, "aria-label": `Share of the passages of ${w.title}` })))),
    found.meets.length ? [el("h4", { class: "quiet" }, "Meets"), el("ul", { class: "chips" }, found.meets.map((m) => el("li", {}, el("button", { type: "button", onclick: () => go(m.name) }, m.name))))] : null,
    el("h4", { class: "quiet" }, "Passages"), sources(found.found));
  announce(`${found.name}: ${count(found.passages, "passage")}`);
}
