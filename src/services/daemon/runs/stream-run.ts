import type { RunRequest as RunBody } from "../../../contracts/daemon/runs/run.ts";
import type { RunEvent } from "../../../engine/run-state/run-event.ts";
import { type Call, holdOpen } from "../../../http/call.ts";
import { wantsEventStream } from "../../../http/streams/accept.ts";
import { eventStream } from "../../../http/streams/event-stream.ts";
import { withinHeadStart } from "../../../http/streams/first-event.ts";
import { type AppError, toAppError } from "../../../kit/app-error.ts";
import type { Clock } from "../../../kit/clock.ts";
import { awaitedIn } from "../paused-runs/paused-runs.ts";
import { admitRun, type RunDeps } from "./admit-run.ts";
import type { LocatedAgent } from "./locate-agent.ts";
import { runInput } from "./run-input.ts";
import { callerKey } from "./run-router.ts";
import { errorFrame, frameTexts, type RunParts } from "./stream-frames.ts";

/**
 * Runs an agent and sends its frames as server-sent events. A failure before the first event and within 10 s gets its own HTTP status;
 * later failures are an `error` frame. If the client disconnects, the run is cancelled.
 */
export function streamRun(
  deps: RunDeps,
  agent: LocatedAgent,
  body: RunBody,
  { key: name, ...reader }: EventReader & { key?: string | undefined },
): Promise<Response> {
  const { requestId } = reader.call;
  const caller = { stream: true, bundles: true, requestId, key: callerKey(name), outlives: true };
  const begin = (signal: AbortSignal) =>
    admitRun(deps, agent, runInput(deps, body, { ...caller, signal }), body.record);
  return streamEvents(deps, begin, reader);
}

/** The request that reads a stream. */
export interface EventReader {
  request: Request;
  call: Call;
  parts?: RunParts;
  /** How the reader's protocol writes events; by default as frames. */
  form?: EventForm;
}

/** Writes the events of one stream, and the failure or the wait that ends it. */
export interface EventForm {
  encode: (event: RunEvent) => string;
  encodeError: (error: AppError) => string;
}

const frameForm = (parts: RunParts | undefined): EventForm => ({
  encode: (event) => frameTexts(event, parts).map(encodeFrame).join(""),
  encodeError: (error) => encodeFrame(JSON.stringify(errorFrame(error))),
});

/** Like `streamRun`, for any events of a run. `begin` gets the signal that aborts when the client disconnects. */
export async function streamEvents(
  { clock }: { clock: Clock },
  begin: (signal: AbortSignal) => AsyncIterable<RunEvent>,
  { request, call, parts, form = frameForm(parts) }: EventReader,
): Promise<Response> {
  holdOpen(call, request);
  const left = new AbortController();
  const events = begin(AbortSignal.any([request.signal, left.signal]))[Symbol.asyncIterator]();
  const begun = events.next().catch((thrown: unknown) => {
    // A waiting run is not an error: its stream has one frame.
    if (awaitedIn(toAppError(thrown)) === undefined) throw thrown;
    return { thrown };
  });
  const first = await withinHeadStart(clock, begun);
  return eventStream({
    source(gone) {
      gone.addEventListener("abort", () => left.abort(gone.reason));
      return resumed(first ?? begun, events);
    },
    isLate: first === undefined,
    ...form,
    call,
    request,
    clock,
  });
}

type FirstEvent<T> = IteratorResult<T, unknown> | { thrown: unknown };

/** Puts `first` before `rest`. A generator would add its own steps to every token, and so would a promise of its own. */
function resumed<T>(
  first: FirstEvent<T> | Promise<FirstEvent<T>>,
  rest: AsyncIterator<T, unknown>,
): AsyncIterable<T> {
  let isFirst = true;
  const begin = async (): Promise<IteratorResult<T, unknown>> => {
    isFirst = false;
    const given = await first;
    if ("thrown" in given) throw given.thrown;
    return given;
  };
  const next = () => (isFirst ? begin() : rest.next());
  const leave = async () => (await rest.return?.()) ?? { done: true as const, value: undefined };
  return { [Symbol.asyncIterator]: () => ({ next, return: leave }) };
}

/** A frame as an event; JSON has no line breaks of its own. */
function encodeFrame(json: string): string {
  return `data: ${json}\n\n`;
}

/** Returns true if the client requests events instead of one result. */
export function wantsEvents(request: Request): boolean {
  return wantsEventStream(request.headers);
}
