import type { ThoughtDetail, ToolCall } from "../../model.ts";
import { textOf } from "../wire/json.ts";
import { argumentsText, type ToolCallDraft } from "../wire/tool-calls.ts";
import { detailsOf } from "./carried-thoughts.ts";
import { toToolUse } from "./turns.ts";

interface Block {
  /** The block as it was opened. */
  start: Record<string, unknown>;
  /** Its text, thoughts or arguments so far. */
  text: string;
  signature: string;
}

/** The content of one answer, assembled from blocks that are opened and then extended. */
export class ContentBlocks {
  readonly #blocks = new Map<unknown, Block>();
  readonly #think: (thoughts: string) => void;
  /** False after a delta of an unknown type: the blocks then can't be sent back unchanged. */
  #isFaithful = true;

  /** `think` gets the thoughts as they arrive. */
  constructor(think: (thoughts: string) => void = () => {}) {
    this.#think = think;
  }

  /** Opens a block, which may be complete; returns its text for the answer. */
  open(index: unknown, start: Record<string, unknown>): string {
    const thinking = textOf(start.thinking);
    const text = textOf(start.text) || thinking;
    if (start.type === "thinking") this.#think(thinking);
    this.#blocks.set(index, { start, text, signature: textOf(start.signature) });
    return start.type === "text" ? text : "";
  }

  /** Extends a block; returns the new text for the answer. */
  grow(index: unknown, delta: Record<string, unknown>): string {
    switch (delta.type) {
      case "text_delta": {
        const text = textOf(delta.text);
        this.#at(index, "text").text += text;
        return text;
      }
      case "input_json_delta":
        this.#at(index, "tool_use").text += textOf(delta.partial_json);
        return "";
      case "thinking_delta":
        this.#at(index, "thinking").text += textOf(delta.thinking);
        this.#think(textOf(delta.thinking));
        return "";
      case "signature_delta":
        this.#at(index, "thinking").signature += textOf(delta.signature);
        return "";
      default:
        this.#isFaithful = false;
        return "";
    }
  }

  get hasCalls(): boolean {
    return [...this.#blocks.values()].some(({ start }) => start.type === "tool_use");
  }

  #at(index: unknown, type: string): Block {
    let block = this.#blocks.get(index);
    if (!block) {
      block = { start: { type }, text: "", signature: "" };
      this.#blocks.set(index, block);
    }
    return block;
  }

  /**
   * The text and the calls so far. If there are thoughts that the vendor needs back, also a function that returns all blocks to send back,
   * with the ids and arguments of our calls.
   */
  finish(): ReadContent {
    const blocks = [...this.#blocks.values()];
    const uses = blocks.filter(({ start }) => start.type === "tool_use");
    const drafts = uses.map(({ start, text }) => ({
      id: textOf(start.id),
      name: textOf(start.name),
      text: text || openedWith(start.input),
    }));
    const texts = blocks.filter(({ start }) => start.type === "text");
    const text = texts.map((block) => block.text).join("");
    if (!this.#isFaithful || blocks.length === uses.length + texts.length)
      return { text, drafts, details: [] };
    const echoOf = (calls: readonly ToolCall[]) => {
      const useBlocks = calls.map(toToolUse);
      return blocks.flatMap((block) => toEcho(block, () => useBlocks.shift()));
    };
    const details = blocks.flatMap(({ start, text, signature }, index) =>
      detailsOf(start, { text, signature, index }),
    );
    return { text, drafts, echoOf, details };
  }
}

interface ReadContent {
  text: string;
  drafts: ToolCallDraft[];
  echoOf?: (calls: readonly ToolCall[]) => unknown[];
  /** The thoughts as clients carry them. */
  details: ThoughtDetail[];
}

/** Arguments in the opening of a block. Every block is opened with `{}`, which says nothing. */
function openedWith(input: unknown): string {
  const text = argumentsText(input);
  return text === "{}" ? "" : text;
}

function toEcho({ start, text, signature }: Block, nextUse: () => unknown): unknown[] {
  switch (start.type) {
    case "text":
      return text === "" ? [] : [{ type: "text", text }];
    case "tool_use": {
      // A call that was cut before it had a name is left out.
      const use = nextUse();
      return use === undefined ? [] : [use];
    }
    case "thinking":
      return [{ type: "thinking", thinking: text, signature }];
    default:
      return [start];
  }
}
