// A card for every question: it streams in, folds, can be kept, compared, removed, and is there after a reload.
import { announce, book, copy, count, el, put } from "./dom.js";
import { ask, referencesPath } from "./api.js";

const STORE = "jung.reading-room.cards.1";
const MOST = 40;
const cards = new Map(); // id -> { state, node, abort }

const list = () => document.getElementById("cards");

/** The saved cards, newest first. */
function saved() {
  try {
    return JSON.parse(localStorage.getItem(STORE)) ?? [];
  } catch {
    return [];
  }
}

function save() {
  const states = [...list().children].map((node) => cards.get(node.dataset.card)?.state).filter((s) => s?.answer);
  for (let keep = Math.min(states.length, MOST); keep >= 0; keep -= 5) {
    try {
      localStorage.setItem(STORE, JSON.stringify(states.filter((s, at) => s.kept || at < keep)));
      return;
    } catch { /* full: fewer of those that are not kept */ }
  }
}

export function restore() {
  for (const state of saved().reverse()) add(state);
  tools();
}

/** Ask a question in a card of its own. */
export async function askCard(question, filters) {
  const id = crypto.randomUUID?.() ?? String(Date.now() + Math.random());
  const state = { id, question, filters, found: null, text: "", answer: null, follow_ups: [], problem: "", kept: false, folded: false };
  const card = add(state);
  card.abort = new AbortController();
  announce("Looking through the books.");
  try {
    await ask({ question, filters }, (name, data) => take(card, name, data), card.abort.signal);
  } catch (error) {
    if (error.name === "AbortError") return;
    state.problem = error.message;
  }
  card.abort = null;
  show(card);
  announce(state.problem || (state.answer?.status === "ok" ? "The answer is there." : "Not in these books."));
  save();
}

function take(card, name, data) {
  const { state } = card;
  if (name === "passages") state.found = data;
  else if (name === "text") state.text += data.text;
  else if (name === "answer") state.answer = data;
  else if (name === "follow_ups") state.follow_ups = data.follow_ups;
  else if (name === "error") state.problem = `${data.error.message} ${data.error.remedy ?? ""}`.trim();
  if (name === "text" && card.growing?.isConnected) card.growing.textContent = state.text;
  else if (["passages", "text", "answer"].includes(name)) show(card);
}

function add(state) {
  const node = el("article", { class: "card", "data-card": state.id, tabindex: "-1", "aria-labelledby": `h-${state.id}` });
  const card = { state, node, abort: null };
  cards.set(state.id, card);
  list().prepend(node);
  show(card);
  tools();
  return card;
}

function remove(card) {
  card.abort?.abort();
  const beside = card.node.nextElementSibling ?? card.node.previousElementSibling;
  cards.delete(card.state.id);
  card.node.remove();
  save();
  tools();
  (beside ?? document.getElementById("question")).focus();
  announce("Removed.");
}

/** Remove what is not kept. */
export function clear() {
  for (const card of [...cards.values()]) {
    if (card.state.kept) continue;
    card.abort?.abort();
    cards.delete(card.state.id);
    card.node.remove();
  }
  save();
  tools();
  document.getElementById("question").focus();
}

export function compare(on) {
  list().classList.toggle("beside", on);
  document.body.classList.toggle("wide", on);
  document.getElementById("compare").setAttribute("aria-pressed", String(on));
}

function tools() {
  const n = cards.size;
  document.getElementById("desk-tools").hidden = n === 0;
  document.getElementById("count").textContent = n ? count(n, "answer") + " on the desk" : "";
  document.getElementById("compare").hidden = n < 2;
  document.getElementById("examples").hidden = n > 0 || !document.querySelector("#examples li");
}

// ---------------------------------------------------------------------------------------------- drawing

function show(card) {
  const { state, node } = card;
  const active = node.contains(document.activeElement) ? document.activeElement.dataset.do : null;
  node.classList.toggle("kept", state.kept);
  node.setAttribute("aria-busy", String(Boolean(!state.answer && !state.problem)));
  const body = el("div", { class: "card-body", id: `b-${state.id}`, hidden: state.folded });
  card.growing = null;
  if (!state.folded) put(body, bodyOf(card));
  node.replaceChildren(head(card), body);
  if (active) node.querySelector(`[data-do="${active}"]`)?.focus();
}

function head(card) {
  const { state } = card;
  const fold = () => { state.folded = !state.folded; show(card); save(); };
  const keep = () => { state.kept = !state.kept; show(card); save(); announce(state.kept ? "Kept." : "No longer kept."); };
  return el("header", { class: "card-head" },
    el("h3", { id: `h-${state.id}` },
      book("button", state.question, { type: "button", "data-do": "fold", "aria-expanded": String(!state.folded), "aria-controls": `b-${state.id}`, onclick: fold })),
    el("div", { class: "card-tools" },
      el("button", { type: "button", class: "link", "data-do": "keep", "aria-pressed": String(state.kept), onclick: keep }, state.kept ? "Kept" : "Keep"),
      el("button", { type: "button", class: "link", "data-do": "remove", "aria-label": `Remove: ${state.question}`, onclick: () => remove(card) }, "Remove")));
}

function bodyOf(card) {
  const { state } = card;
  const parts = [filtersSaid(state.filters)];
  if (state.answer) parts.push(...answered(state));
  else if (state.text) {
    card.growing = el("p", { class: "answer growing", dir: "auto" }, state.text);
    parts.push(card.growing, el("p", { class: "waiting" }, "Being written; not checked yet."));
  } else if (!state.problem) {
    parts.push(el("p", { class: "waiting" }, state.found?.asks_model ? "Found passages; the answer is being written …" : "Looking through the books …"));
  }
  if (state.problem) {
    parts.push(el("p", { class: "problem", role: "alert" }, state.problem),
      el("button", { type: "button", class: "link", onclick: () => { remove(card); askCard(state.question, state.filters); } }, "Ask again"));
  }
  if (!state.answer && state.found) parts.push(el("h4", {}, "Passages"), sources(state.found.passages));
  return parts;
}

function filtersSaid(filters) {
  const said = Object.values(filters ?? {}).flat();
  return said.length ? el("p", { class: "how" }, `Only in: ${said.join(", ")}`) : null;
}

function answered(state) {
  const { answer } = state;
  if (answer.status !== "ok") {
    return [
      el("p", { class: "status-line" }, "○ Not in these books."),
      book("p", answer.text, { class: "answer" }),
      answer.near_misses.length ? [el("h4", {}, "The nearest passages, which do not answer it"), sources(answer.near_misses)] : null,
      el("p", { class: "how" }, answer.how),
    ];
  }
  const others = answer.sources.filter((s) => !s.cited);
  return [
    el("p", { class: "answer", dir: "auto" }, linked(answer)),
    checks(answer),
    el("h4", {}, "Sources"),
    sources(answer.sources.filter((s) => s.cited).length ? answer.sources.filter((s) => s.cited) : answer.sources),
    others.length && others.length < answer.sources.length
      ? el("details", { class: "also" }, el("summary", {}, `${count(others.length, "more passage")} read for this answer`), sources(others)) : null,
    foot(state),
    state.follow_ups.length ? [el("h4", {}, "Go on with"), followUps(state)] : null,
    el("p", { class: "how" }, answer.how),
  ];
}

/** The answer with its numbers as links to the passages. */
function linked(answer) {
  const ids = new Map(answer.sources.map((s) => [String(s.number), s]));
  let before = "";
  return answer.text.split(/(\[\d+\])/).map((part) => {
    // The words quoted just before the number are what its page is opened at.
    const quote = answer.quotes.filter((q) => q.verdict === "verbatim" && before.includes(q.text)).map((q) => q.text).pop();
    if (!/^\[\d+\]$/.test(part) && part.trim()) before = part;
    const source = /^\[(\d+)\]$/.exec(part) && ids.get(part.slice(1, -1));
    return source ? el("a", { class: "cite", href: passageLink(source.chunk_id, quote), "aria-label": `Source ${source.number}: ${source.citation}` }, part) : part;
  });
}

const VERDICTS = {
  verbatim: ["ok", "✓", "word for word"],
  elsewhere: ["bad", "✗", "stands in another passage than the one cited"],
  not_in_passage: ["bad", "✗", "does not stand so in the passage"],
};

/** What the whole library says to a quotation that does not stand where it should. */
function elsewhere(quote) {
  const place = quote.places[0] ?? "";
  if (quote.in_library === "verbatim" || quote.in_library === "misattributed") return ` It stands in: ${place}.`;
  if (quote.in_library === "altered") return ` Printed otherwise in ${place}: ${quote.changes.map((c) => `“${c.printed || "–"}” where “${c.quoted || "–"}” is quoted`).join("; ")}.`;
  return quote.in_library === "not_in_library" ? " It stands nowhere in these books." : "";
}

function checks(answer) {
  const rows = answer.quotes.map((quote) => {
    const [kind, sign, said] = VERDICTS[quote.verdict] ?? ["bad", "?", quote.verdict.replaceAll("_", " ")];
    const where = (quote.numbers.length ? quote.numbers : [quote.found_in]).filter((n) => n !== null).map((n) => `[${n}]`).join("");
    return el("li", { class: kind }, `${sign} Quotation ${said}${where ? ` ${where}` : ""}: `, book("q", quote.text), kind === "bad" ? elsewhere(quote) : null);
  });
  rows.push(...answer.flags.filter((f) => !f.kind.startsWith("quote_")).map((f) => el("li", { class: "bad" }, `✗ ${f.message}`)));
  const wrong = rows.some((row) => row.classList.contains("bad"));
  const said = wrong ? "✗ Something here does not hold; see the checks" : rows.length ? `✓ ${count(answer.quotes.length, "quotation")} checked, word for word` : "No quotations to check";
  if (!rows.length) return el("p", { class: "how" }, said);
  return el("details", { class: "checks-box", open: wrong }, el("summary", { class: `how ${wrong ? "problem" : ""}` }, said), el("ul", { class: "checks" }, rows));
}

/** Where the reading pane shows a passage, beside the room that is open; opened at some words of it. */
export function passageLink(id, quote) {
  const room = location.hash.replace(/^#/, "").split("?")[0] || "ask";
  return `#${room}?passage=${encodeURIComponent(id)}${quote ? `&quote=${encodeURIComponent(quote)}` : ""}`;
}

/** A list of passages, each with its place and its beginning. */
export function sources(passages) {
  return el("ul", { class: "sources" }, passages.map((p) => el("li", {},
    el("div", { class: "source-line" },
      el("span", { class: "n" }, p.number ? `[${p.number}]` : "·"),
      el("div", {},
        el("div", { class: "where" },
          el("a", { class: "work", href: passageLink(p.chunk_id), dir: "auto" }, p.work),
          place(p)),
        book("p", p.paragraphs.join(" "), { class: "snippet" }, p.language),
        (p.also ?? []).length ? el("p", { class: "also" }, `The same in: ${p.also.map((a) => a.citation).join("; ")}`) : null)))));
}

/** ", Chapter 4, § 12, p. 31" */
export function place(p) {
  return [p.author ? ` · ${p.author}` : "", p.chapter ? ` · ${p.chapter}` : "", p.paragraph ? ` · § ${p.paragraph}` : "", p.pages ? ` · ${p.pages}` : "", p.kind === "note" ? " · note" : ""].join("");
}

function foot(state) {
  const cited = state.answer.sources.filter((s) => s.cited);
  const ids = (cited.length ? cited : state.answer.sources).map((s) => s.chunk_id);
  const said = el("span", { class: "said", role: "status" });
  const text = () => [state.question, "", state.answer.text, "", ...(cited.length ? cited : state.answer.sources).map((s) => `[${s.number}] ${s.citation}`)].join("\n");
  return el("div", { class: "card-foot" },
    el("button", { type: "button", class: "link", onclick: async () => { said.textContent = (await copy(text())) ? "Copied." : "The browser does not let it be copied."; } }, "Copy with sources"),
    [["bibtex", "BibTeX", "bib"], ["ris", "RIS", "ris"], ["csl-json", "CSL-JSON", "json"]].map(([form, name, suffix]) =>
      el("a", { href: referencesPath(ids, form), download: `references.${suffix}` }, name)),
    said);
}

function followUps(state) {
  return el("ul", { class: "chips" }, state.follow_ups.map((f) =>
    el("li", {}, el("button", { type: "button", title: f.question, dir: "auto", onclick: () => { askCard(f.question, state.filters); document.getElementById("question").scrollIntoView(); } }, f.label))));
}
