import type { NewId } from "../../../../kit/id.ts";
import type { ModelEvent, ModelRequest } from "../../model.ts";
import { unusable } from "./end-answer.ts";
import type { Subject } from "./failure.ts";
import { isRecord, parseJson } from "./json.ts";
import type { AnswerReader } from "./wire-format.ts";

/** Part that the readers of all protocols share. */
export abstract class JsonAnswerReader implements AnswerReader {
  protected readonly subject: Subject;
  protected readonly request: ModelRequest;
  protected readonly newId: NewId;
  /** Text that ends a stream besides the protocol's own event; undefined if there is none. */
  protected readonly endMark: string | undefined;
  /** The provider's finish reason; undefined until it arrives. */
  protected finish: unknown;
  isDone = false;

  constructor(subject: Subject, request: ModelRequest, newId: NewId, endMark?: string) {
    this.subject = subject;
    this.request = request;
    this.newId = newId;
    this.endMark = endMark;
  }

  get isComplete(): boolean {
    return this.finish !== undefined;
  }

  take(json: string): string {
    if (json !== this.endMark) return this.takeValue(parseJson(json));
    this.isDone = true;
    return "";
  }

  takeValue(value: unknown): string {
    if (isRecord(value)) return this.takeRecord(value);
    throw unusable(this.subject, "answered with something that is no JSON object");
  }

  protected abstract takeRecord(value: Record<string, unknown>): string;

  abstract close(): ModelEvent[];
}
