// Elements from plain values. Text is only ever text: nothing here takes markup.

/** An element with attributes, listeners (on…) and children; null, false and undefined are left out. */
export function el(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** The same in SVG. */
export function svg(tag, attributes = {}, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...flat(children));
  return node;
}

const flat = (children) => children.flat(4).filter((c) => c !== null && c !== undefined && c !== false);

/** Make children (lists in lists; null is left out) the only content of a node. */
export function put(node, ...children) {
  node.replaceChildren(...flat(children));
}

/** Text of a book: in whatever direction its letters run, in its own language where known. */
export function book(tag, text, attributes = {}, language = null) {
  return el(tag, { dir: "auto", lang: language, ...attributes }, text);
}

/** Tell a screen reader. */
export function announce(text) {
  document.getElementById("announce").textContent = text;
}

/** Copy text; true if it worked. */
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = el("textarea", { class: "away" });
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    return done;
  }
}

/** "1 passage", "2 passages" */
export function count(n, one, many = `${one}s`) {
  return `${n.toLocaleString("en")} ${n === 1 ? one : many}`;
}
