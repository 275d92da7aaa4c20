import type { NewId } from "../../../../kit/id.ts";
import type { FinishReason, ModelEvent, ModelRequest } from "../../model.ts";
import { ModelFailure } from "../../model-failure.ts";
import { failureInAnswer, type Subject } from "./failure.ts";
import { ToolCallFragments } from "./tool-call-fragments.ts";
import { completeUsage, type ReportedUsage, readUsage } from "./usage.ts";
import { isRecord } from "./wire.ts";

const toolCallsMax = 128;

const finishReasons = new Map<unknown, FinishReason>([
  ["length", "length"],
  ["max_tokens", "length"],
  ["model_length", "length"],
  ["content_filter", "content_filter"],
  ["safety", "content_filter"],
]);

/** Takes one answer in: the chunks of a stream, or the one piece of an answer that is no stream. */
export class AnswerReader {
  readonly #subject: Subject;
  readonly #request: ModelRequest;
  readonly #newId: NewId;
  readonly #calls = new ToolCallFragments();
  #text = "";
  #refused = false;
  #finish: unknown;
  #usage: ReportedUsage | undefined;

  constructor(subject: Subject, request: ModelRequest, newId: NewId) {
    this.#subject = subject;
    this.#request = request;
    this.#newId = newId;
  }

  /** Whether the model said why it stopped: what may still come is usage only. */
  get isComplete(): boolean {
    return this.#finish !== undefined;
  }

  /** Takes one JSON text and returns the text that it adds to the answer, often none. */
  take(json: string): string {
    const payload = parse(json);
    if (!isRecord(payload)) throw this.#unusable("answered with something that is no JSON object");
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
    if (Array.isArray(part.tool_calls)) {
      this.#calls.take(part.tool_calls);
      if (this.#calls.count > toolCallsMax)
        throw this.#unusable(`asked for more than ${toolCallsMax} tool calls`);
    }
    if (typeof part.refusal === "string" && part.refusal !== "") this.#refused = true;
    const content = part.content;
    const text = typeof content === "string" ? content : Array.isArray(content) ? joinTexts(content) : "";
    if (text !== "") this.#text += text;
    return text;
  }

  /** What closes the answer: the tool calls, then the end. Throws ModelFailure when there was no answer. */
  close(): ModelEvent[] {
    const calls = this.#calls.finish(this.#newId);
    if (calls.some((call) => call.name === "")) throw this.#unusable("asked for a tool without naming it");
    const reason = finishReasons.get(this.#finish) ?? (calls.length > 0 ? "tool_calls" : "stop");
    if (this.#text === "" && calls.length === 0 && reason !== "length") {
      if (this.#refused || reason === "content_filter") {
        throw new ModelFailure("content_refused", `${this.#subject.name} refused to answer this request.`);
      }
      throw this.#unusable("gave an empty answer");
    }
    const usage = completeUsage(this.#usage, this.#request, this.#text, calls);
    return [
      ...calls.map((call): ModelEvent => ({ type: "tool_call", call })),
      { type: "end", finish: reason, usage },
    ];
  }

  #unusable(what: string): ModelFailure {
    return new ModelFailure("unusable", `${this.#subject.name} ${what}.`);
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

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
