import type { NewId } from "../../../../kit/id.ts";
import { isRecord } from "../../../../kit/json/is-record.ts";
import { parseJson } from "../../../../kit/json/parse-json.ts";
import type { ModelEvent, ModelRequest } from "../../model.ts";
import { unusable } from "./end-answer.ts";
import type { Subject } from "./failure.ts";
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

  constructor(subject: Subject, request: ModelRequest, newId: NewId) {
    this.subject = subject;
    this.request = request;
    this.newId = newId;
  }

  get isComplete(): boolean {
    return this.finish !== undefined;
  }

  take(json: string): string {
    return this.takeValue(parseJson(json));
  }

  takeValue(value: unknown): string {
    if (!isRecord(value)) throw unusable(this.subject, "answered with something that is no JSON object");
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
