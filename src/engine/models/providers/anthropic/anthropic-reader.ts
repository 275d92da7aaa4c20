import type { NewId } from "../../../../kit/id.ts";
import { isRecord } from "../../../../kit/json/is-record.ts";
import type { ModelEvent, ModelRequest } from "../../model.ts";
import { BaseReader } from "../wire/base-reader.ts";
import { endAnswer, type ReadAnswer } from "../wire/end-answer.ts";
import { failureInAnswer, type Subject } from "../wire/failure.ts";
import { countOf, type ReportedUsage } from "../wire/usage.ts";
import { ContentBlocks } from "./content-blocks.ts";

/** Reads one answer of the Messages API: the events of a stream, or a whole message. */
export class AnthropicReader extends BaseReader {
  readonly #echoOf: string;
  readonly #content = new ContentBlocks((thoughts) => this.think(thoughts));
  #counts: UsageCounts = {};

  constructor(subject: Subject, request: ModelRequest, echoOf: string, newId: NewId) {
    super(subject, request, newId);
    this.#echoOf = echoOf;
  }

  protected takeObject(event: Record<string, unknown>): string {
    switch (event.type) {
      case "content_block_delta":
        this.said();
        return this.#noted(isRecord(event.delta) ? this.#content.grow(event.index, event.delta) : "");
      case "content_block_start":
        this.said();
        return this.#noted(
          isRecord(event.content_block) ? this.#content.open(event.index, event.content_block) : "",
        );
      case "message_start":
        return isRecord(event.message) ? this.#takeMessage(event.message) : "";
      case "message_delta":
        if (isRecord(event.delta)) this.stopped(event.delta.stop_reason);
        this.#counts = mergeUsage(this.#counts, event.usage);
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
    this.#counts = mergeUsage(this.#counts, message.usage);
    const content = Array.isArray(message.content) ? message.content : [];
    const texts = content.map((block, at) => (isRecord(block) ? this.#content.open(at, block) : ""));
    this.stopped(message.stop_reason);
    return this.#noted(texts.join(""));
  }

  #noted(text: string): string {
    this.text += text;
    return text;
  }

  override get hasUsage(): boolean {
    return this.#counts.output !== undefined;
  }

  get hasCalls(): boolean {
    return this.#content.hasCalls;
  }

  close(): ModelEvent[] {
    const { text, drafts, echoOf, details } = this.#content.finish();
    const answer: ReadAnswer = {
      text,
      drafts,
      reason: this.finish,
      usage: totalUsage(this.#counts),
      thoughts: this.thoughts,
      details: details.map((detail) => ({ ...detail, id: this.#echoOf })),
      echo: echoOf && ((calls) => ({ of: this.#echoOf, content: echoOf(calls) })),
    };
    return endAnswer(this.subject, this.request, answer, this.newId);
  }
}

/** Token counts of a `usage` object, merged into earlier ones: stream events contain some of the counts, each as a total so far. */
export interface UsageCounts {
  fresh?: number | undefined;
  written?: number | undefined;
  read?: number | undefined;
  output?: number | undefined;
}

export function mergeUsage(known: UsageCounts, usage: unknown): UsageCounts {
  if (!isRecord(usage)) return known;
  return {
    fresh: countOf(usage.input_tokens) ?? known.fresh,
    written: countOf(usage.cache_creation_input_tokens) ?? known.written,
    read: countOf(usage.cache_read_input_tokens) ?? known.read,
    output: countOf(usage.output_tokens) ?? known.output,
  };
}

/** Total usage. The vendor counts tokens read from and written to the cache separately from `input_tokens`. */
export function totalUsage({ fresh, written = 0, read, output }: UsageCounts): ReportedUsage {
  return {
    inputTokens: fresh === undefined ? undefined : fresh + written + (read ?? 0),
    outputTokens: output,
    cachedTokens: read,
    writtenTokens: written,
  };
}
