import type { NewId } from "../../../../kit/id.ts";
import type { Echo, FinishReason, ModelEvent, ModelRequest } from "../../model.ts";
import { endAnswer } from "../wire/end-answer.ts";
import { failureInAnswer, type Subject } from "../wire/failure.ts";
import { isRecord, textOf } from "../wire/json.ts";
import { JsonAnswerReader } from "../wire/json-answer-reader.ts";
import { ToolCallFragments } from "../wire/tool-call-fragments.ts";
import { finishToolCalls } from "../wire/tool-calls.ts";
import type { ReportedUsage } from "../wire/usage.ts";
import { readUsage } from "./usage.ts";

const finishReasons = new Map<unknown, FinishReason>([
  ["MAX_TOKENS", "length"],
  ["ERROR_TOXIC", "content_filter"],
]);

/** Reads one answer of the v2 Chat API: the events of a stream, or a whole answer. Plans and thoughts are not part of the answer. */
export class CohereReader extends JsonAnswerReader {
  readonly #calls = new ToolCallFragments();
  #text = "";
  #thinking = "";
  #plan = "";
  #usage: ReportedUsage | undefined;

  constructor(subject: Subject, request: ModelRequest, newId: NewId) {
    super(subject, request, newId, "[DONE]");
  }

  protected override takeRecord(event: Record<string, unknown>): string {
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
    this.#thinking += textOf(content.thinking);
    const text = textOf(content.text);
    this.#text += text;
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
    if (isRecord(end.usage)) this.#usage = readUsage(end.usage);
  }

  override close(): ModelEvent[] {
    return endAnswer(this.subject, this.request, {
      text: this.#text,
      calls: finishToolCalls(this.#calls.drafts, this.newId),
      finish: finishReasons.get(this.finish),
      usage: this.#usage,
      echo: this.#echo(),
    });
  }

  /** In the vendor's examples, plan and thoughts are sent back with their calls. */
  #echo(): Echo | undefined {
    if (this.#plan === "" && this.#thinking === "") return undefined;
    return { of: this.subject.name, content: { tool_plan: this.#plan, thinking: this.#thinking } };
  }
}
