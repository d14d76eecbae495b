// The JSON API. Every failure becomes a Problem with a message for people.

export class Problem extends Error {
  constructor(message, remedy = "", kind = "") {
    super(remedy ? `${message} ${remedy}` : message);
    this.kind = kind;
  }
}

async function problemOf(response) {
  let error = null;
  try {
    ({ error } = await response.json());
  } catch { /* not ours */ }
  return new Problem(error?.message ?? `The library answered with ${response.status}.`, error?.remedy, error?.kind);
}

async function reach(path, options) {
  try {
    return await fetch(path, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Problem("The library does not answer.", "Is `jung serve` running?");
  }
}

/** A document of the API. */
export async function get(path) {
  const response = await reach(path, { headers: { accept: "application/json" } });
  if (!response.ok) throw await problemOf(response);
  return response.json();
}

/** Ask; calls on(event, data) for each event of the answer as it comes. */
export async function ask(query, on, signal) {
  const response = await reach("/api/query", {
    method: "POST",
    headers: { "content-type": "application/json", accept: "text/event-stream" },
    body: JSON.stringify(query),
    signal,
  });
  if (!response.ok) throw await problemOf(response);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let waiting = "";
  let ended = false;
  for (;;) {
    const { value, done } = await reader.read();
    if (done) break;
    waiting += value;
    const blocks = waiting.split("\n\n");
    waiting = blocks.pop();
    for (const block of blocks) {
      const name = /^event: (.*)$/m.exec(block)?.[1];
      const data = /^data: (.*)$/m.exec(block)?.[1];
      if (!name || data === undefined) continue;
      ended = ended || name === "done" || name === "error";
      on(name, JSON.parse(data));
    }
  }
  if (!ended) throw new Problem("The answer broke off.", "Ask again; nothing of the half answer is kept.");
}

const quoted = (quote, sign) => (quote ? `${sign}quote=${encodeURIComponent(quote)}` : "");
export const passagePath = (id, quote) => `/api/passages/${encodeURIComponent(id)}${quoted(quote, "?")}`;
export const pagePath = (passage, page, quote) =>
  `/api/pages/${encodeURIComponent(passage.volume)}/${page}?passage=${encodeURIComponent(passage.chunk_id)}${quoted(quote, "&")}`;

export function referencesPath(ids, form) {
  const parts = new URLSearchParams();
  for (const id of ids) parts.append("id", id);
  parts.append("form", form);
  return `/api/references?${parts}`;
}
