import { isRecord } from "../../../../kit/json/is-record.ts";
import type { Echo, ModelEvent, ToolCall } from "../../model.ts";
import { DoneMarkReader } from "../wire/base-reader.ts";
import { endAnswer } from "../wire/end-answer.ts";
import { failureInAnswer } from "../wire/failure.ts";
import { ThoughtDetails } from "../wire/thought-details.ts";
import { ToolCallFragments } from "../wire/tool-call-fragments.ts";
import { extraOf } from "../wire/tool-calls.ts";
import { countOf, type ReportedUsage } from "../wire/usage.ts";

/** Reasons of the server, not the model: the answer was interrupted (OpenRouter and Mistral; DeepSeek; vLLM). */
const brokenOff: ReadonlySet<unknown> = new Set(["error", "insufficient_system_resource", "abort"]);

/** Field names that servers use for a model's thoughts. */
const thoughtFields = ["reasoning_content", "reasoning"];

/** Reads one answer in OpenAI's format: the chunks of a stream, or a whole answer. */
export class OpenAiReader extends DoneMarkReader {
  readonly #calls = new ToolCallFragments();
  #refused = false;
  /** Thoughts by the field in which they arrived. */
  readonly #thoughts: Record<string, string> = {};
  readonly #details = new ThoughtDetails();

  protected takeObject(payload: Record<string, unknown>): string {
    if (payload.error || payload.object === "error") throw failureInAnswer(this.subject, payload);
    const usage = payload.usage;
    if (isRecord(usage)) this.usage = readUsage(usage);
    else if (isRecord(payload.x_groq)) this.#takeExtension(payload.x_groq);
    const choices = payload.choices;
    const choice: unknown = Array.isArray(choices) ? choices[0] : undefined;
    if (!isRecord(choice)) return "";
    // Moonshot reports the usage of a stream in its last choice.
    if (isRecord(choice.usage)) this.usage = readUsage(choice.usage);
    if (choice.error) throw failureInAnswer(this.subject, { error: choice.error });
    const reason = choice.finish_reason;
    if (brokenOff.has(reason)) throw failureInAnswer(this.subject, { code: reason });
    const part = choice.delta ?? choice.message;
    const text = isRecord(part) ? this.#takePart(part) : "";
    this.stopped(reason);
    return text;
  }

  /** Groq's extension of a chunk: usage, or the error that ended the answer. */
  #takeExtension({ usage, error }: Record<string, unknown>): void {
    if (error) throw failureInAnswer(this.subject, { error });
    if (isRecord(usage)) this.usage = readUsage(usage);
  }

  #takePart(part: Record<string, unknown>): string {
    // Text-generation-inference streams a single call without a list.
    if (part.tool_calls) {
      const fragments = [part.tool_calls].flat();
      if (fragments.length > 0) this.said();
      this.#calls.take(fragments);
    }
    for (const field of thoughtFields) {
      const thought = part[field];
      if (typeof thought === "string" && thought !== "") {
        this.said();
        this.think(thought);
        this.#thoughts[field] = (this.#thoughts[field] ?? "") + thought;
      }
    }
    if (Array.isArray(part.reasoning_details)) this.#details.take(part.reasoning_details);
    if (typeof part.refusal === "string" && part.refusal !== "") this.#refused = true;
    const content = part.content;
    const text = typeof content === "string" ? content : Array.isArray(content) ? joinTexts(content) : "";
    if (text === "") return text;
    this.said();
    return this.visible(text);
  }

  get hasCalls(): boolean {
    return this.#calls.drafts.length > 0;
  }

  close(): ModelEvent[] {
    const rest = this.rest();
    const drafts = this.#calls.drafts;
    const refusedAll = this.#refused && this.text === "" && drafts.length === 0;
    const answer = {
      text: this.text,
      drafts,
      reason: refusedAll ? "refusal" : this.finish,
      usage: this.usage,
      thoughts: this.thoughts,
      details: this.#details.all,
      echo: (calls: readonly ToolCall[]) => (calls.length === 0 ? undefined : this.#echo(calls)),
    };
    return [...rest, ...endAnswer(this.subject, this.request, answer, this.newId)];
  }

  /** Servers whose models think before calling tools need the thoughts back with the calls. DeepSeek refuses the turn without them. */
  #echo(calls: readonly ToolCall[]): Echo | undefined {
    const details = this.#details.all;
    const extra = extraOf(this.#calls.drafts, calls);
    const content = {
      ...this.#thoughts,
      ...(details.length > 0 && { reasoning_details: details }),
      ...(extra && { extra_content: extra }),
    };
    return Object.keys(content).length === 0 ? undefined : { of: this.subject.name, content };
  }
}

/** Mistral splits content into parts if a model shows its thoughts; only the text is the answer. */
function joinTexts(parts: readonly unknown[]): string {
  let text = "";
  for (const part of parts) {
    if (isRecord(part) && part.type === "text" && typeof part.text === "string") text += part.text;
  }
  return text;
}

/**
 * Reads a `usage` object in OpenAI's format, including DeepSeek's and Moonshot's fields for tokens read from a cache, and OpenRouter's and
 * DashScope's for tokens written to one. xAI and Gemini don't count thoughts as completion, so the total tells: it has what is billed.
 */
export function readUsage(usage: Record<string, unknown>): ReportedUsage {
  const details = isRecord(usage.prompt_tokens_details) ? usage.prompt_tokens_details : {};
  const given = isRecord(usage.completion_tokens_details) ? usage.completion_tokens_details : {};
  const inputTokens = countOf(usage.prompt_tokens);
  const completionTokens = countOf(usage.completion_tokens);
  const othersTokens = (countOf(usage.total_tokens) ?? 0) - (inputTokens ?? 0) - (completionTokens ?? 0);
  const isInside = inputTokens === undefined || completionTokens === undefined || othersTokens <= 0;
  return {
    inputTokens,
    outputTokens: isInside ? completionTokens : completionTokens + othersTokens,
    cachedTokens:
      countOf(details.cached_tokens) ??
      countOf(usage.prompt_cache_hit_tokens) ??
      countOf(usage.cached_tokens),
    writtenTokens: countOf(details.cache_write_tokens) ?? countOf(details.cache_creation_input_tokens),
    reasoningTokens:
      countOf(given.reasoning_tokens) ??
      countOf(usage.reasoning_tokens) ??
      (isInside ? undefined : othersTokens),
    audioInputTokens: countOf(details.audio_tokens),
    audioOutputTokens: countOf(given.audio_tokens),
  };
}
