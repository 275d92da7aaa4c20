import type { ModelEvent, ModelRequest } from "../../model.ts";
import type { ShapeOf } from "./answer-shape.ts";

/** One vendor's protocol, for one model: all in which the protocols differ when a model is called. */
export interface WireFormat {
  /** The route of a chat call, below the base address. */
  chatRoute: string;
  /** What the content type of a streamed answer contains. */
  streamType: string;
  /** Cuts a streamed answer into JSON texts: per network chunk those that it completes. */
  readStream(body: ReadableStream<Uint8Array>): AsyncIterable<readonly string[]>;
  shapeOf: ShapeOf;
  /** What is sent for a request, held to a shape that `shapeOf` wrote if there is one, and what takes its answer in. */
  begin(request: ModelRequest, shape?: string): { body: string; reader: AnswerReader };
}

/** Takes one answer in: the JSON texts of a stream, or the one text of an answer that is no stream. */
export interface AnswerReader {
  /** Takes one JSON text and returns the text that it adds to the answer, often none. Throws ModelFailure. */
  take(json: string): string;
  /** The same for a text that has been read: `undefined` stands for one that is no JSON. */
  takeValue(value: unknown): string;
  /** Whether the model said why it stopped: what may still come is usage only. */
  readonly isComplete: boolean;
  /** Whether the protocol says that nothing follows. */
  readonly isDone: boolean;
  /** What closes the answer: the tool calls, then the end. Throws ModelFailure when there was no answer. */
  close(): ModelEvent[];
}
