import type { ModelFailureClass } from "../../judge-call.ts";
import type { ModelEvent, ModelRequest } from "../../model.ts";
import type { ShapeOf } from "./answer-shape.ts";
import type { SchemaLimits } from "./tool-schemas.ts";

/** One vendor's protocol for one model: everything in which protocols differ during a call. */
export interface WireFormat {
  /** Route of a chat call below the base address. What is learned of a server can change it. */
  readonly chatRoute: string;
  /** Text that the content type of a streamed answer contains. */
  streamType: string;
  /** Splits a streamed answer into JSON texts; yields those that each network chunk completes. */
  readStream(body: ReadableStream<Uint8Array>): AsyncIterable<readonly string[]>;
  shapeOf: ShapeOf;
  /** What the schemas of tools may say; absent: no more than any vendor takes. */
  schemaLimits?: SchemaLimits;
  /** Creates the body of a request, with a schema written by `shapeOf` if given, and the reader of its answer. */
  begin(request: ModelRequest, shape?: string): { body: string; reader: AnswerReader };
  /** Learns from a refusal what this server does not take. True if the same request, written anew, is worth another try. */
  learn?(refusal: ProviderRefusal): boolean;
}

/** A server's refusal of one request. */
export interface ProviderRefusal {
  /** `caller`: the request itself (400 or 422). */
  failure: ModelFailureClass;
  /** The body of the answer. */
  message: string;
  /** The body of the request. */
  sent: string;
}

/** Reads one answer: the JSON texts of a stream, or the single text of a whole answer. */
export interface AnswerReader {
  /** Reads one JSON text and returns the text it adds to the answer, often none. Throws ModelFailure. */
  take(json: string): string;
  /** The same for a parsed text; `undefined` if it is not JSON. */
  takeValue(value: unknown): string;
  /** Returns the thoughts that came since the last call. */
  takeThoughts(): string;
  /** True once the model has given its finish reason, and no content after it: usually only usage follows. */
  readonly isComplete: boolean;
  /** True if content has followed a finish reason: this server's reasons are no ends. */
  readonly hasGoneOn: boolean;
  /** True if the finish reason came along with content: some servers send one with every piece. */
  readonly isDoubtful: boolean;
  /** Number of pieces of content so far: text, thoughts, fragments of calls. */
  readonly pieces: number;
  /** Characters of text so far. */
  readonly chars: number;
  readonly hasCalls: boolean;
  /** True once the server has reported usage. */
  readonly hasUsage: boolean;
  /** True once the protocol has announced the end. */
  readonly isDone: boolean;
  /**
   * Returns the closing events: the tool calls, then the end. Throws ModelFailure if there was no answer. Later texts may change them.
   */
  close(): ModelEvent[];
}
