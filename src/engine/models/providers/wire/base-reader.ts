import type { NewId } from "../../../../kit/id.ts";
import { isRecord } from "../../../../kit/json/is-record.ts";
import { parseJson } from "../../../../kit/json/parse-json.ts";
import type { ModelEvent, ModelRequest } from "../../model.ts";
import { unusable } from "./end-answer.ts";
import type { Subject } from "./failure.ts";
import { TaggedThoughts } from "./tagged-thoughts.ts";
import type { ReportedUsage } from "./usage.ts";
import type { AnswerReader } from "./wire-format.ts";

/** The parts of an `AnswerReader` that all protocols share: JSON objects in, and the state of the answer. */
export abstract class BaseReader implements AnswerReader {
  protected readonly subject: Subject;
  protected readonly request: ModelRequest;
  protected readonly newId: NewId;
  protected text = "";
  /** Finish reason as the server wrote it. */
  protected finish: unknown;
  protected usage: ReportedUsage | undefined;
  isDone = false;
  /** Number of pieces of content so far. */
  #pieces = 0;
  #hasGoneOn = false;
  /** Number of pieces before the current JSON text. */
  #piecesBefore = 0;
  #isDoubtful = false;
  readonly #tagged: TaggedThoughts | undefined;
  /** Thoughts outside the text, and those that were not taken yet. */
  #thoughts = "";
  #fresh = "";
  /** True if content came after the last reason, which so was not the last word. */
  #isRetracted = false;

  constructor(subject: Subject, request: ModelRequest, newId: NewId) {
    this.subject = subject;
    this.request = request;
    this.newId = newId;
    this.#tagged = subject.writesThoughts === true ? new TaggedThoughts() : undefined;
  }

  get isComplete(): boolean {
    return this.finish !== undefined && !this.#isRetracted;
  }

  get pieces(): number {
    return this.#pieces;
  }

  get hasGoneOn(): boolean {
    return this.#hasGoneOn;
  }

  get isDoubtful(): boolean {
    return this.#isDoubtful;
  }

  get chars(): number {
    return this.text.length;
  }

  get hasUsage(): boolean {
    return this.usage !== undefined;
  }

  abstract readonly hasCalls: boolean;

  /** Notes a piece of text, thoughts or a call. */
  protected said(): void {
    this.#pieces++;
    if (this.finish === undefined) return;
    this.#hasGoneOn = true;
    this.#isRetracted = true;
  }

  /** Adds a piece of content; returns what is visible of it: thoughts between tags are not. */
  protected visible(content: string): string {
    const text = this.#tagged === undefined || content === "" ? content : this.#tagged.take(content);
    this.text += text;
    return text;
  }

  /** Adds thoughts that the server sends outside the text. */
  protected think(thoughts: string): void {
    this.#thoughts += thoughts;
    this.#fresh += thoughts;
  }

  /** All thoughts of the answer. */
  protected get thoughts(): string {
    return this.#thoughts + (this.#tagged?.thoughts ?? "");
  }

  takeThoughts(): string {
    const fresh = this.#fresh + (this.#tagged?.takeFresh() ?? "");
    this.#fresh = "";
    return fresh;
  }

  /** The event for text that was held back, because it could have been a tag. */
  protected rest(): ModelEvent[] {
    const text = this.#tagged?.end() ?? "";
    this.text += text;
    return text === "" ? [] : [{ type: "text", text }];
  }

  /** Notes the reason in a JSON text, after its content. */
  protected stopped(reason: unknown): void {
    if (typeof reason !== "string" || reason === "") return;
    this.finish = reason;
    this.#isRetracted = false;
    this.#isDoubtful = this.#pieces > this.#piecesBefore;
  }

  take(json: string): string {
    return this.takeValue(parseJson(json));
  }

  takeValue(value: unknown): string {
    if (!isRecord(value)) throw unusable(this.subject, "answered with something that is not a JSON object");
    this.#piecesBefore = this.#pieces;
    return this.takeObject(value);
  }

  protected abstract takeObject(value: Record<string, unknown>): string;
  abstract close(): ModelEvent[];
}

/** A reader of a stream whose last text is `[DONE]`. */
export abstract class DoneMarkReader extends BaseReader {
  override take(json: string): string {
    if (json !== "[DONE]") return super.take(json);
    this.isDone = true;
    return "";
  }
}
