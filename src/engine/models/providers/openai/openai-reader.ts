import type { NewId } from "../../../../kit/id.ts";
import type { FinishReason, ModelEvent, ModelRequest } from "../../model.ts";
import { endAnswer, unusable } from "../wire/end-answer.ts";
import { failureInAnswer, type Subject } from "../wire/failure.ts";
import { isRecord, parseJson } from "../wire/json.ts";
import { ToolCallFragments } from "../wire/tool-call-fragments.ts";
import { finishToolCalls } from "../wire/tool-calls.ts";
import type { ReportedUsage } from "../wire/usage.ts";
import type { AnswerReader } from "../wire/wire-format.ts";
import { readUsage } from "./usage.ts";

const finishReasons = new Map<unknown, FinishReason>([
  ["length", "length"],
  ["max_tokens", "length"],
  ["model_length", "length"],
  ["content_filter", "content_filter"],
  ["safety", "content_filter"],
]);

/** Takes in one answer of OpenAI's form: the chunks of a stream, or the one piece of an answer that is no stream. */
export class OpenAiReader implements AnswerReader {
  readonly #subject: Subject;
  readonly #request: ModelRequest;
  readonly #newId: NewId;
  readonly #calls = new ToolCallFragments();
  #text = "";
  #refused = false;
  #finish: unknown;
  #usage: ReportedUsage | undefined;
  #isDone = false;

  constructor(subject: Subject, request: ModelRequest, newId: NewId) {
    this.#subject = subject;
    this.#request = request;
    this.#newId = newId;
  }

  get isComplete(): boolean {
    return this.#finish !== undefined;
  }

  get isDone(): boolean {
    return this.#isDone;
  }

  take(json: string): string {
    if (json === "[DONE]") {
      this.#isDone = true;
      return "";
    }
    const payload = parseJson(json);
    if (!isRecord(payload)) throw unusable(this.#subject, "answered with something that is no JSON object");
    if (payload.error || payload.object === "error") throw failureInAnswer(this.#subject, payload);
    const usage = payload.usage;
    if (isRecord(usage)) this.#usage = readUsage(usage);
    else if (isRecord(payload.x_groq) && isRecord(payload.x_groq.usage)) {
      this.#usage = readUsage(payload.x_groq.usage);
    }
    const choices = payload.choices;
    const choice: unknown = Array.isArray(choices) ? choices[0] : undefined;
    if (!isRecord(choice)) return "";
    if (typeof choice.finish_reason === "string" && choice.finish_reason !== "") {
      this.#finish = choice.finish_reason;
    }
    const part = choice.delta ?? choice.message;
    return isRecord(part) ? this.#takePart(part) : "";
  }

  #takePart(part: Record<string, unknown>): string {
    if (Array.isArray(part.tool_calls)) this.#calls.take(part.tool_calls);
    if (typeof part.refusal === "string" && part.refusal !== "") this.#refused = true;
    const content = part.content;
    const text = typeof content === "string" ? content : Array.isArray(content) ? joinTexts(content) : "";
    if (text !== "") this.#text += text;
    return text;
  }

  close(): ModelEvent[] {
    const calls = finishToolCalls(this.#calls.drafts, this.#newId);
    const refusedAll = this.#refused && this.#text === "" && calls.length === 0;
    return endAnswer(this.#subject, this.#request, {
      text: this.#text,
      calls,
      finish: refusedAll ? "content_filter" : finishReasons.get(this.#finish),
      usage: this.#usage,
    });
  }
}

/** Mistral gives content as parts when a model thinks aloud; only the text is the answer. */
function joinTexts(parts: readonly unknown[]): string {
  let text = "";
  for (const part of parts) {
    if (isRecord(part) && part.type === "text" && typeof part.text === "string") text += part.text;
  }
  return text;
}
