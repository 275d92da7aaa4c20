import { isRecord } from "../../../../kit/json/is-record.ts";
import type { Echo, ModelEvent, ThoughtDetail, ToolCall } from "../../model.ts";
import { DoneMarkReader } from "../wire/base-reader.ts";
import { endAnswer, unusable } from "../wire/end-answer.ts";
import { failureInAnswer } from "../wire/failure.ts";
import { textOf } from "../wire/json.ts";
import { argumentsText, type ToolCallDraft } from "../wire/tool-calls.ts";
import { countOf, type ReportedUsage } from "../wire/usage.ts";
import { type OutputPart, sealedFormat, sealedItem } from "./responses-body.ts";

/** More items than any answer has. */
const itemsMax = 1000;

/** One item of an answer so far. */
interface OutputItem {
  kind: "text" | "call" | "thoughts" | "other";
  /** True once a piece of its text has come: the whole item then brings nothing new. */
  hasBegun: boolean;
  call: ToolCallDraft;
  /** Sealed thoughts. */
  sealed: string;
}

const kinds: Readonly<Record<string, OutputItem["kind"]>> = {
  message: "text",
  function_call: "call",
  reasoning: "thoughts",
};

/** Reads one answer of the Responses API: the events of a stream, or a whole response. */
export class ResponsesReader extends DoneMarkReader {
  readonly #items = new Map<unknown, OutputItem>();
  #isRefusal = false;

  protected takeObject(event: Record<string, unknown>): string {
    switch (event.type) {
      case "response.output_text.delta":
        return this.#grow(event, "message", (item, delta) => this.#write(item, delta));
      case "response.refusal.delta":
        this.#isRefusal = true;
        this.said();
        return "";
      case "response.reasoning_summary_text.delta":
      case "response.reasoning_text.delta":
        return this.#grow(event, "reasoning", (item, delta) => this.#thought(item, delta));
      case "response.function_call_arguments.delta":
        return this.#grow(event, "function_call", (item, delta) => {
          this.said();
          item.call.text += delta;
          return "";
        });
      case "response.output_item.added":
        if (isRecord(event.item)) this.#open(event.output_index, event.item);
        return "";
      case "response.output_item.done":
        return isRecord(event.item) ? this.#takeItem(event.output_index, event.item) : "";
      case "response.completed":
      case "response.incomplete":
      case "response.failed":
        this.isDone = true;
        return isRecord(event.response) ? this.#takeResponse(event.response) : "";
      default:
        if (event.error) throw failureInAnswer(this.subject, event);
        if (event.type === "error") throw failureInAnswer(this.subject, { error: event });
        // Other events announce what these bring, or belong to tools that we don't offer.
        return event.object === "response" ? this.#takeResponse(event) : "";
    }
  }

  /** A whole response, alone or as the last event of a stream. */
  #takeResponse(response: Record<string, unknown>): string {
    if (response.error || response.status === "failed" || response.status === "cancelled")
      throw failureInAnswer(this.subject, { error: response.error ?? { message: response.status } });
    if (isRecord(response.usage)) this.usage = readResponsesUsage(response.usage);
    // What came in pieces is not read again: servers count the items of both differently.
    const output = this.#items.size === 0 && Array.isArray(response.output) ? response.output : [];
    const text = output.map((item, at) => (isRecord(item) ? this.#takeItem(at, item) : "")).join("");
    const { incomplete_details: details, status } = response;
    const reason = isRecord(details) ? details.reason : undefined;
    // An answer that is not whole was cut, whatever new reason the server gives.
    const end = reason === "content_filter" ? reason : status;
    this.stopped(this.#isRefusal && this.text === "" ? "refusal" : end);
    return text;
  }

  #open(index: unknown, item: Record<string, unknown>): OutputItem {
    const known = this.#items.get(index);
    if (known !== undefined) return known;
    if (this.#items.size >= itemsMax)
      throw unusable(this.subject, `answered with more than ${itemsMax} items`);
    const opened: OutputItem = {
      kind: kinds[textOf(item.type)] ?? "other",
      hasBegun: false,
      call: { id: textOf(item.call_id), name: textOf(item.name), text: "" },
      sealed: "",
    };
    this.#items.set(index, opened);
    if (opened.kind === "call") this.said();
    return opened;
  }

  #grow(
    { output_index, delta }: Record<string, unknown>,
    type: string,
    add: (item: OutputItem, delta: string) => string,
  ): string {
    const piece = textOf(delta);
    return piece === "" ? "" : add(this.#open(output_index, { type }), piece);
  }

  /** A finished item: what of it did not come in pieces. */
  #takeItem(index: unknown, item: Record<string, unknown>): string {
    const known = this.#open(index, item);
    if (known.kind === "call") {
      known.call.id ||= textOf(item.call_id);
      known.call.name ||= textOf(item.name);
      known.call.text = argumentsText(item.arguments) || known.call.text;
      return "";
    }
    if (known.kind === "thoughts") {
      known.sealed = textOf(item.encrypted_content) || known.sealed;
      const text = partsOf(item.summary) || partsOf(item.content);
      return known.hasBegun || text === "" ? "" : this.#thought(known, text);
    }
    if (known.kind === "other") return "";
    const content = Array.isArray(item.content) ? item.content : [];
    if (content.some((part) => isRecord(part) && part.type === "refusal")) this.#isRefusal = true;
    return known.hasBegun ? "" : this.#write(known, partsOf(content));
  }

  #write(item: OutputItem, text: string): string {
    if (text === "") return "";
    item.hasBegun = true;
    this.said();
    return this.visible(text);
  }

  #thought(item: OutputItem, text: string): string {
    item.hasBegun = true;
    this.said();
    this.think(text);
    return "";
  }

  get hasCalls(): boolean {
    return this.#items.values().some(({ kind }) => kind === "call");
  }

  close(): ModelEvent[] {
    const rest = this.rest();
    const items = [...this.#items.values()];
    const answer = {
      text: this.text,
      drafts: items.filter(({ kind }) => kind === "call").map(({ call }) => call),
      reason: this.finish,
      usage: this.usage,
      thoughts: this.thoughts,
      details: items.flatMap((item, at) => this.#detailOf(item, at)),
      echo: (calls: readonly ToolCall[]) => (calls.length === 0 ? undefined : this.#echo(items)),
    };
    return [...rest, ...endAnswer(this.subject, this.request, answer, this.newId)];
  }

  #detailOf({ sealed }: OutputItem, index: number): ThoughtDetail[] {
    if (sealed === "") return [];
    return [
      { type: "reasoning.encrypted", data: sealed, format: sealedFormat, id: this.subject.name, index },
    ];
  }

  /** The model needs its sealed thoughts back between its calls, each in its place. */
  #echo(items: readonly OutputItem[]): Echo | undefined {
    if (items.every(({ sealed }) => sealed === "")) return undefined;
    let calls = 0;
    const content = items.flatMap(({ kind, sealed }): OutputPart[] => {
      if (kind === "call") return [{ type: "call", at: calls++ }];
      if (kind === "text") return [{ type: "text" }];
      return sealed === "" ? [] : [{ type: "thoughts", item: sealedItem(sealed) }];
    });
    return { of: this.subject.name, content };
  }
}

/** The texts of an item's parts. */
function partsOf(parts: unknown): string {
  if (!Array.isArray(parts)) return "";
  return parts.map((part) => (isRecord(part) ? textOf(part.text) : "")).join("");
}

/** Reads a `usage` object of the Responses API. */
export function readResponsesUsage(usage: Record<string, unknown>): ReportedUsage {
  const input = isRecord(usage.input_tokens_details) ? usage.input_tokens_details : {};
  const output = isRecord(usage.output_tokens_details) ? usage.output_tokens_details : {};
  return {
    inputTokens: countOf(usage.input_tokens),
    outputTokens: countOf(usage.output_tokens),
    cachedTokens: countOf(input.cached_tokens),
    writtenTokens: countOf(input.cache_write_tokens),
    reasoningTokens: countOf(output.reasoning_tokens),
  };
}
