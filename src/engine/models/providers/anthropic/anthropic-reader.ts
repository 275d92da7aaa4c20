import type { NewId } from "../../../../kit/id.ts";
import type { FinishReason, ModelEvent, ModelRequest } from "../../model.ts";
import { endAnswer } from "../wire/end-answer.ts";
import { failureInAnswer, type Subject } from "../wire/failure.ts";
import { isRecord } from "../wire/json.ts";
import { JsonAnswerReader } from "../wire/json-answer-reader.ts";
import { ContentBlocks } from "./content-blocks.ts";
import { mergeUsage, totalUsage, type UsageCounts } from "./usage.ts";

/** `pause_turn` asks the client to continue the answer. It occurs only with tools that the vendor runs, which we don't offer. */
const finishReasons = new Map<unknown, FinishReason>([
  ["max_tokens", "length"],
  ["model_context_window_exceeded", "length"],
  ["pause_turn", "length"],
  ["refusal", "content_filter"],
]);

/** Reads one answer of the Messages API: the events of a stream, or a whole message. */
export class AnthropicReader extends JsonAnswerReader {
  readonly #echoOf: string;
  readonly #content = new ContentBlocks();
  #usage: UsageCounts = {};

  constructor(subject: Subject, request: ModelRequest, echoOf: string, newId: NewId) {
    super(subject, request, newId);
    this.#echoOf = echoOf;
  }

  protected override takeRecord(event: Record<string, unknown>): string {
    switch (event.type) {
      case "content_block_delta":
        return isRecord(event.delta) ? this.#content.grow(event.index, event.delta) : "";
      case "content_block_start":
        return isRecord(event.content_block) ? this.#content.open(event.index, event.content_block) : "";
      case "message_start":
        return isRecord(event.message) ? this.#takeMessage(event.message) : "";
      case "message_delta":
        if (isRecord(event.delta)) this.#takeReason(event.delta.stop_reason);
        this.#usage = mergeUsage(this.#usage, event.usage);
        return "";
      case "message_stop":
        this.isDone = true;
        return "";
      case "message":
        return this.#takeMessage(event);
      default:
        // `ping`, `content_block_stop`, and future types, which the vendor asks clients to ignore.
        if (event.type === "error" || event.error) throw failureInAnswer(this.subject, event);
        return "";
    }
  }

  #takeMessage(message: Record<string, unknown>): string {
    this.#usage = mergeUsage(this.#usage, message.usage);
    this.#takeReason(message.stop_reason);
    const content = Array.isArray(message.content) ? message.content : [];
    return content.map((block, at) => (isRecord(block) ? this.#content.open(at, block) : "")).join("");
  }

  #takeReason(reason: unknown): void {
    if (typeof reason === "string" && reason !== "") this.finish = reason;
  }

  override close(): ModelEvent[] {
    const { text, calls, echo } = this.#content.finish(this.newId);
    return endAnswer(this.subject, this.request, {
      text,
      calls,
      finish: finishReasons.get(this.finish),
      usage: totalUsage(this.#usage),
      ...(echo && { echo: { of: this.#echoOf, content: echo } }),
    });
  }
}
