import { isRecord } from "../../../../kit/json/is-record.ts";
import type { Echo, ModelEvent } from "../../model.ts";
import { DoneMarkReader } from "../wire/base-reader.ts";
import { endAnswer } from "../wire/end-answer.ts";
import { failureInAnswer } from "../wire/failure.ts";
import { textOf } from "../wire/json.ts";
import { ToolCallFragments } from "../wire/tool-call-fragments.ts";
import { countOf, type ReportedUsage } from "../wire/usage.ts";

/** Reads one answer of the v2 Chat API: the events of a stream, or a whole answer. Plans and thoughts are not part of the answer. */
export class CohereReader extends DoneMarkReader {
  readonly #calls = new ToolCallFragments();
  #thinking = "";
  #plan = "";

  protected takeObject(event: Record<string, unknown>): string {
    const delta = isRecord(event.delta) ? event.delta : {};
    const part = isRecord(delta.message) ? delta.message : {};
    switch (event.type) {
      case "content-start":
      case "content-delta":
        return this.#takeContent(part.content);
      case "tool-plan-delta":
        this.#plan += textOf(part.tool_plan);
        return "";
      case "tool-call-start":
      case "tool-call-delta":
        // A single call, although the field's name is plural.
        if (isRecord(part.tool_calls)) this.#calls.take([{ ...part.tool_calls, index: event.index }]);
        return "";
      case "message-end":
        this.#takeEnd(delta);
        this.isDone = true;
        return "";
      default:
        if (isRecord(event.message)) return this.#takeWhole(event, event.message);
        if (event.message !== undefined || event.error) throw failureInAnswer(this.subject, event);
        // `message-start`, the ends of blocks and calls, citations, and future types.
        return "";
    }
  }

  #takeContent(content: unknown): string {
    if (!isRecord(content)) return "";
    const thinking = textOf(content.thinking);
    this.#thinking += thinking;
    this.think(thinking);
    const text = textOf(content.text);
    this.text += text;
    return text;
  }

  #takeWhole(answer: Record<string, unknown>, message: Record<string, unknown>): string {
    this.#takeEnd(answer);
    this.#plan += textOf(message.tool_plan);
    if (Array.isArray(message.tool_calls)) this.#calls.take(message.tool_calls);
    const content = Array.isArray(message.content) ? message.content : [];
    return content.map((block: unknown) => this.#takeContent(block)).join("");
  }

  #takeEnd(end: Record<string, unknown>): void {
    const reason = end.finish_reason;
    if (reason === "ERROR" || reason === "TIMEOUT") {
      throw failureInAnswer(this.subject, { type: reason, message: textOf(end.error) });
    }
    if (typeof reason === "string" && reason !== "") this.finish = reason;
    if (isRecord(end.usage)) this.usage = readUsage(end.usage);
  }

  get hasCalls(): boolean {
    return this.#calls.drafts.length > 0;
  }

  close(): ModelEvent[] {
    const answer = {
      text: this.text,
      drafts: this.#calls.drafts,
      reason: this.finish,
      usage: this.usage,
      thoughts: this.thoughts,
      echo: () => this.#echo(),
    };
    return endAnswer(this.subject, this.request, answer, this.newId);
  }

  /** In the vendor's examples, plan and thoughts are sent back with their calls. */
  #echo(): Echo | undefined {
    if (this.#plan === "" && this.#thinking === "") return undefined;
    return { of: this.subject.name, content: { tool_plan: this.#plan, thinking: this.#thinking } };
  }
}

/**
 * Reads the `usage` object of the v2 Chat API. It has two counts: `billed_units` for billing, and `tokens`, which include the vendor's own
 * instructions for tools. Costs are computed from usage, so `billed_units` come first.
 */
export function readUsage(usage: Record<string, unknown>): ReportedUsage {
  const billed = isRecord(usage.billed_units) ? usage.billed_units : {};
  const tokens = isRecord(usage.tokens) ? usage.tokens : {};
  return {
    inputTokens: countOf(billed.input_tokens) ?? countOf(tokens.input_tokens),
    outputTokens: countOf(billed.output_tokens) ?? countOf(tokens.output_tokens),
    cachedTokens: countOf(usage.cached_tokens),
  };
}
