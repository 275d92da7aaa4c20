import type { Model, ModelEvent, ModelRequest, Usage } from "./model.ts";
import { estimateRequestTokens, tokenQuarters } from "./token-count.ts";

/**
 * What a server sends is cut by what was asked of it, not by the usage that it claims. A token has a few bytes on average in every
 * vocabulary; only long runs of spaces have more, and an answer doesn't consist of them.
 */
const bytesPerToken = 16;
const bytesMin = 4096;
/** Longest answer of a request without a limit, in tokens, unless the model's window is larger. */
const unlimitedTokens = 256 * 1024;

/** Longest thoughts. Some servers don't count them as a part of the answer, so its limit in tokens says nothing about them. */
const echoCharsMax = 4 * 1024 * 1024;

type Limits = Pick<Model, "answerTokensMax" | "contextWindow">;

/** Returns the longest answer, in tokens, that a request allows. */
export function answerTokensOf(
  { parameters, answerTokensMax = Number.POSITIVE_INFINITY }: ModelRequest,
  model: Limits,
): number {
  const wanted = parameters?.max_tokens ?? model.answerTokensMax ?? Number.POSITIVE_INFINITY;
  return Math.min(wanted, answerTokensMax, Math.max(model.contextWindow, unlimitedTokens));
}

/** Counts the bytes of one answer, and ends it where they exceed what its tokens can hold. */
export class AnswerCut {
  readonly #request: ModelRequest;
  readonly #tokensMax: number;
  #bytesLeft: number;
  #quarters = 0;

  constructor(request: ModelRequest, model: Limits) {
    this.#request = request;
    this.#tokensMax = answerTokensOf(request, model);
    this.#bytesLeft = Math.max(bytesMin, this.#tokensMax * bytesPerToken);
  }

  /** Returns the last events of the answer if it ends with this one, because it is too long; otherwise undefined. */
  lastEvents(event: ModelEvent): ModelEvent[] | undefined {
    if (event.type === "text") {
      const admitted = this.#take(event.text);
      return admitted === event.text ? undefined : this.#end(admitted);
    }
    if (event.type === "texts") {
      let admitted = "";
      for (const text of event.texts) {
        const part = this.#take(text);
        admitted += part;
        if (part !== text) return this.#end(admitted);
      }
    }
    if (event.type === "tool_call") {
      const { unparsable, input } = event.call;
      const text = unparsable ?? JSON.stringify(input);
      // A call that was cut is not carried out.
      if (this.#take(text) !== text) return this.#end("");
    }
    if (event.type === "end" && event.echo !== undefined) {
      // The thoughts that come back with the next request, and the answer again. Without them a server may refuse that request.
      if (JSON.stringify(event.echo.content).length > echoCharsMax) return this.#end("");
    }
    return undefined;
  }

  /** Returns the part of a text that there is room for. */
  #take(text: string): string {
    // A text has at least as many bytes as units.
    const bytes = text.length <= this.#bytesLeft ? Buffer.byteLength(text) : text.length;
    const admitted = bytes <= this.#bytesLeft ? text : firstBytes(text, this.#bytesLeft);
    this.#bytesLeft = admitted === text ? this.#bytesLeft - bytes : 0;
    this.#quarters += tokenQuarters(admitted);
    return admitted;
  }

  /** Usage so far. The server's own, if any, comes after text that is not read any more. */
  get usage(): Usage {
    return {
      inputTokens: estimateRequestTokens(this.#request),
      outputTokens: Math.min(Math.ceil(this.#quarters / 4), this.#tokensMax),
      cachedTokens: 0,
      estimated: true,
    };
  }

  #end(text: string): ModelEvent[] {
    const end: ModelEvent = { type: "end", finish: "length", usage: this.usage, isCut: true };
    return text === "" ? [end] : [{ type: "text", text }, end];
  }
}

/** Returns the longest beginning of whole characters that has at most so many bytes. */
function firstBytes(text: string, bytesMax: number): string {
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(bytesMax));
  return text.slice(0, read);
}
