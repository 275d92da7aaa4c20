import type { RunRequest as RunBody } from "../../../contracts/daemon/run.ts";
import type { RunEvent } from "../../../engine/run/run-event.ts";
import type { RunnableAgent } from "../../../engine/run/runnable-agent.ts";
import { type Call, holdOpen } from "../../../http/call.ts";
import { eventStream } from "../../../http/event-stream.ts";
import type { DaemonDeps } from "../deps.ts";
import { admitRun } from "./admit-run.ts";
import { runInput } from "./run-input.ts";
import { errorFrame, frameOf } from "./stream-frames.ts";

/**
 * Runs an agent and answers with its frames as server-sent events. What fails before the first event answers with its own
 * status; later failures are an `error` frame. A client that leaves cancels the run.
 */
export async function streamRun(
  deps: DaemonDeps,
  agent: RunnableAgent,
  body: RunBody,
  { request, call, withTrace }: { request: Request; call: Call; withTrace: boolean },
): Promise<Response> {
  holdOpen(call, request);
  const left = new AbortController();
  const caller = {
    stream: true,
    signal: AbortSignal.any([request.signal, left.signal]),
    requestId: call.requestId,
  };
  const events = admitRun(deps, agent, runInput(deps, body, caller), body.record);
  const first = await events.next();
  return eventStream({
    source(gone) {
      gone.addEventListener("abort", () => left.abort(gone.reason));
      return resumed(first, events);
    },
    encode: (event: RunEvent) => encodeFrame(frameOf(event, withTrace)),
    encodeError: (error) => encodeFrame(errorFrame(error)),
    call,
    request,
    clock: deps.clock,
  });
}

/** `rest` with `first` before it; a generator would add its own steps to every token. */
function resumed<T>(first: IteratorResult<T, void>, rest: AsyncGenerator<T, void>): AsyncIterable<T> {
  let waiting: IteratorResult<T, void> | undefined = first;
  const next = async (): Promise<IteratorResult<T, void>> => {
    const given = waiting;
    waiting = undefined;
    return given ?? rest.next();
  };
  return { [Symbol.asyncIterator]: () => ({ next, return: () => rest.return() }) };
}

function encodeFrame(frame: object): string {
  return `data: ${JSON.stringify(frame)}\n\n`;
}
