import type { ModelEvent } from "../../../engine/models/model.ts";
import { type EventStreamOptions, eventStream } from "../../../http/streams/event-stream.ts";
import { withinHeadStart } from "../../../http/streams/first-event.ts";

export interface AnswerStream<T> extends Omit<EventStreamOptions<T>, "source" | "isLate"> {
  /** Starts the answer. The signal aborts when its reader has left. */
  answer: (signal: AbortSignal) => AsyncGenerator<ModelEvent, void>;
  /** Writes the answer in the protocol of its reader. */
  render: (events: AsyncIterable<ModelEvent>) => AsyncIterable<T>;
}

/** Streams an answer. A failure before its first event and within 10 s gets its own HTTP status. */
export async function streamAnswer<T>({ answer, render, ...options }: AnswerStream<T>): Promise<Response> {
  const left = new AbortController();
  const events = answer(AbortSignal.any([options.request.signal, left.signal]));
  const begun = events.next();
  const first = await withinHeadStart(options.clock, begun);
  return eventStream({
    ...options,
    source(gone) {
      gone.addEventListener("abort", () => left.abort(gone.reason));
      return render(continued(first ?? begun, events));
    },
    isLate: first === undefined,
  });
}

async function* continued(
  begun: IteratorResult<ModelEvent, void> | Promise<IteratorResult<ModelEvent, void>>,
  rest: AsyncGenerator<ModelEvent, void>,
): AsyncGenerator<ModelEvent, void> {
  try {
    for (let next = await begun; next.done !== true; next = await rest.next()) yield next.value;
  } finally {
    await rest.return();
  }
}
