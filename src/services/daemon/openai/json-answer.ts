import type { ModelEvent } from "../../../engine/models/model.ts";
import { findJson } from "../../../engine/structured/find-json.ts";
import { inPieces, type Work } from "../../../kit/concurrency/others-turn.ts";

/** Data of an agent's answer after its guardrails, known before the answer's end; null or undefined if there is none. */
export interface AnswerData {
  data?: unknown;
}

/**
 * Extracts the JSON from an answer that was requested as JSON. If the answer begins with JSON, it is streamed up to the end of the JSON.
 * Otherwise it is buffered, and the JSON is `result.data` or searched for when complete. An answer without JSON is passed on unchanged, for
 * clients that repair it.
 */
export async function* jsonAnswer(
  events: AsyncIterable<ModelEvent>,
  result: AnswerData = {},
): AsyncGenerator<ModelEvent, void> {
  const scanner = new JsonScanner();
  let pending = "";
  for await (const event of events) {
    if (event.type === "text") {
      pending += event.text;
      if (scanner.state === "before" && pending.trimStart() === "") continue;
      if (scanner.state === "before") scanner.begin(pending.trimStart());
      if (scanner.state === "elsewhere") continue;
      const text = scanner.take(pending);
      pending = "";
      if (text !== "") yield { type: "text", text };
      continue;
    }
    if (event.type === "thoughts") {
      yield event;
      continue;
    }
    if (scanner.state === "elsewhere" && pending !== "") {
      const { data } = result;
      const isFound = typeof data === "object" && data !== null;
      yield { type: "text", text: isFound ? JSON.stringify(data) : await inPieces(jsonIn(pending)) };
    }
    pending = "";
    yield event;
  }
}

/** The JSON of a whole text; the text itself where it has none. */
function* jsonIn(text: string): Work<string> {
  const json = yield* findJson(text);
  if ("value" in json && typeof json.value === "object") return JSON.stringify(json.value);
  const scanner = new JsonScanner();
  const at = text.search(/[[{]/);
  if (at === -1) return text;
  scanner.begin(text.slice(at));
  const part = scanner.take(text.slice(at));
  return scanner.state === "after" ? part : text;
}

/** Follows one JSON object or list through the pieces of a stream, in linear time. */
class JsonScanner {
  state: "before" | "inside" | "after" | "elsewhere" = "before";
  #depth = 0;
  #isText = false;
  #isEscaped = false;

  begin(text: string): void {
    this.state = /^[[{]/.test(text) ? "inside" : "elsewhere";
  }

  /** Returns the part of a piece that belongs to the JSON. */
  take(piece: string): string {
    if (this.state !== "inside") return "";
    for (let at = 0; at < piece.length; at++) {
      this.#step(piece[at] ?? "");
      if (this.#depth > 0 || piece[at]?.trim() === "") continue;
      this.state = "after";
      return piece.slice(0, at + 1);
    }
    return piece;
  }

  #step(character: string): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (this.#isText) {
      if (character === "\\") this.#isEscaped = true;
      else if (character === '"') this.#isText = false;
    } else if (character === '"') this.#isText = true;
    else if (character === "{" || character === "[") this.#depth++;
    else if (character === "}" || character === "]") this.#depth--;
  }
}
