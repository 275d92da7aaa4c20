/*
 * Thoughts that a model writes into its answer, between tags: `<think>…</think>` before the answer itself. Servers with a reasoning parser
 * send them in a field of their own; without one they are text. They are taken out of the answer for models that are known to write them,
 * and for those that the operator names.
 */

/** Names of models that write such tags (their model cards and chat templates). */
const thinkingModels =
  /deepseek-?r1|r1-distill|\bqwq|qwen-?3(?!.*(?:instruct|coder))|magistral|phi-?4(?:-mini)?-(?:flash-)?reasoning|smollm3|exaone-deep|openthinker|cogito|nemotron.*(?:nano|super|ultra)|glm-?4\.[1-7]|glm-?z1|minimax-m|hunyuan|seed-oss|kimi-.*thinking|olmo-?3.*think/i;

/** True if a model of that name is known to write its thoughts into its answer. */
export const writesThoughts = (model: string): boolean => thinkingModels.test(model);

/** Pairs of tags: most models; Magistral; Seed-OSS. */
const tags: readonly { open: string; close: string }[] = [
  { open: "<think>", close: "</think>" },
  { open: "<thinking>", close: "</thinking>" },
  { open: "[THINK]", close: "[/THINK]" },
  { open: "<seed:think>", close: "</seed:think>" },
];

/** Blanks before the first word; more of them are an answer. */
const heldCharsMax = 1000;

/** Takes the thoughts out of one answer as it arrives. */
export class TaggedThoughts {
  thoughts = "";
  /** The thoughts since they were last taken. */
  #fresh = "";
  #state: "start" | "thoughts" | "after" | "answer" = "start";
  #close = "";
  /** Text that may become a tag. */
  #held = "";

  /** Returns what is visible of the next piece. */
  take(piece: string): string {
    switch (this.#state) {
      case "answer":
        return piece;
      case "after":
        return this.#begin(piece);
      case "thoughts":
        return this.#think(piece);
      case "start":
        return this.#start(piece);
    }
  }

  takeFresh(): string {
    const fresh = this.#fresh;
    this.#fresh = "";
    return fresh;
  }

  #add(text: string): void {
    this.thoughts += text;
    this.#fresh += text;
  }

  /** Returns text that was held back and is not a tag after all. */
  end(): string {
    const pending = this.#held;
    this.#held = "";
    if (this.#state === "start") return pending;
    if (this.#state === "thoughts") this.#add(pending);
    return "";
  }

  #start(piece: string): string {
    this.#held += piece;
    const begun = this.#held.trimStart();
    const pair = tags.find(({ open }) => begun.startsWith(open));
    if (pair !== undefined) {
      this.#state = "thoughts";
      this.#close = pair.close;
      this.#held = "";
      return this.#think(begun.slice(pair.open.length));
    }
    if (this.#held.length < heldCharsMax && tags.some(({ open }) => open.startsWith(begun))) return "";
    // Chat templates that write the opening tag themselves leave the model only the closing one.
    const closed = tags.find(({ close }) => begun.includes(close));
    if (closed !== undefined) {
      this.#state = "thoughts";
      this.#close = closed.close;
      this.#held = "";
      return this.#think(begun);
    }
    const pending = this.end();
    this.#state = "answer";
    return pending;
  }

  #think(piece: string): string {
    const text = this.#held + piece;
    const at = text.indexOf(this.#close);
    if (at < 0) {
      const overlap = Math.min(text.length, this.#close.length - 1);
      this.#add(text.slice(0, text.length - overlap));
      this.#held = text.slice(text.length - overlap);
      return "";
    }
    this.#add(text.slice(0, at));
    this.#held = "";
    this.#state = "after";
    return this.#begin(text.slice(at + this.#close.length));
  }

  /** The answer begins with its first visible character. */
  #begin(piece: string): string {
    const visible = piece.trimStart();
    if (visible !== "") this.#state = "answer";
    return visible;
  }
}
