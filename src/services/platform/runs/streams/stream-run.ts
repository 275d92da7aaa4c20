import { type Call, holdOpen } from "../../../../http/call.ts";
import { wantsEventStream } from "../../../../http/streams/accept.ts";
import { eventStream } from "../../../../http/streams/event-stream.ts";
import { isHandshake, upgradeToWebSocket } from "../../../../http/streams/web-socket-session.ts";
import { AppError } from "../../../../kit/app-error.ts";
import { encodeSse } from "../../../../kit/fetch/sse.ts";
import type { Registrations } from "../../agents/registrations.ts";
import { beginRun, type RunCall } from "../admission/begin-run.ts";
import type { TenantRunDeps } from "../deps.ts";
import { replayRun } from "../idempotency/replay-run.ts";
import { type BegunRun, performRun } from "../perform-run.ts";
import { settleInvocation } from "../settlement/settle-invocation.ts";
import { readAlong } from "./read-along.ts";
import { type RunStream, runSocket } from "./run-socket.ts";
import { errorFrame, terminalFrame } from "./stream-frames.ts";

/** Opens the WebSocket of a run. Every refusal is answered with its HTTP status before the upgrade. */
export async function openRunSocket(
  deps: TenantRunDeps,
  registrations: Registrations,
  runCall: RunCall,
  { request, call }: { request: Request; call: Call },
): Promise<void> {
  requireHandshake(request);
  const stream = await beginStream(deps, registrations, runCall, watchedStream);
  try {
    upgradeToWebSocket(request, call, runSocket(stream, call));
  } catch (thrown) {
    await stream.abandon();
    throw thrown;
  }
}

/** Like `openRunSocket`, with server-sent events. A run with a key continues if its reader leaves. */
export async function streamRunEvents(
  deps: TenantRunDeps,
  registrations: Registrations,
  runCall: RunCall,
  { request, call }: { request: Request; call: Call },
): Promise<Response> {
  holdOpen(call, request);
  const streamOf = runCall.idempotencyKey === undefined ? watchedStream : lastingStream;
  const stream = await beginStream(deps, registrations, runCall, streamOf);
  const response = runEvents(deps, stream, { request, call });
  if (stream.isReplay) response.headers.set("idempotency-replayed", "true");
  return response;
}

export const wantsEvents = ({ headers }: Request): boolean => wantsEventStream(headers);

/** Sends a run's frames as server-sent events. A thrown error becomes the terminal frame. */
export function runEvents(
  { clock }: TenantRunDeps,
  { invocationId, frames }: Pick<RunStream, "invocationId" | "frames">,
  { request, call }: { request: Request; call: Call },
): Response {
  return eventStream({
    source: (gone) => frames([request.signal, gone]),
    encode: encodeFrame,
    encodeError: (error) => encodeFrame(errorFrame(invocationId, error)),
    call,
    request,
    clock,
  });
}

/** Begins the run. If its key was used before, sends the terminal frame of the earlier run again. */
async function beginStream(
  deps: TenantRunDeps,
  registrations: Registrations,
  runCall: RunCall,
  streamOf: (deps: TenantRunDeps, run: BegunRun) => RunStream,
): Promise<RunStream> {
  const beginning = await beginRun(deps, registrations, runCall);
  if (beginning.kind === "begun") return streamOf(deps, beginning.run);
  const { invocationId } = beginning;
  const replay = await replayRun(deps, { tenantId: runCall.tenant.tenantId, invocationId });
  if ("inProgress" in replay) throw stillRunning(invocationId);
  const frame = terminalFrame(invocationId, replay.outcome);
  return {
    invocationId,
    isReplay: true,
    async *frames() {
      yield frame;
    },
    abandon: async () => {},
  };
}

/** A stream whose run is cancelled when the reader leaves. */
export function watchedStream(deps: TenantRunDeps, run: BegunRun): RunStream {
  const { invocationId } = run;
  return {
    invocationId,
    isReplay: false,
    async *frames(leaving) {
      const outcome = yield* performRun(deps, { ...run, cancelledBy: [...run.cancelledBy, ...leaving] });
      yield terminalFrame(invocationId, outcome);
    },
    abandon: () => abandon(deps, run),
  };
}

/** A stream whose run begins now and continues without its reader, who can get its answer with the same key. */
function lastingStream(deps: TenantRunDeps, run: BegunRun): RunStream {
  const { invocationId } = run;
  const { items, ended } = readAlong(performRun(deps, run));
  deps.outlives(ended);
  return {
    invocationId,
    isReplay: false,
    async *frames() {
      yield terminalFrame(invocationId, yield* items);
    },
    abandon: async () => {},
  };
}

/** A run in progress can't be streamed from the middle. */
function stillRunning(invocationId: string): AppError {
  return new AppError("conflict", "run_in_progress", "The run with this idempotency_key is in progress.", {
    details: {
      hint: `Try again later for its result, or read the invocation ${invocationId}.`,
      retryAfterSeconds: 2,
    },
  });
}

/** A run that can't be watched counts as not begun. */
async function abandon({ storage, clock, metrics, owner }: TenantRunDeps, run: BegunRun): Promise<void> {
  const ending = {
    status: "cancelled" as const,
    errorCode: "run_cancelled",
    message: "The run was cancelled.",
    usage: [],
    durationMs: 0,
    isCharged: false,
  };
  metrics.runEnded("cancelled", 0);
  await settleInvocation(storage, { ...run, owner }, ending, clock.now());
}

/** Checked before anything is counted. */
function requireHandshake(request: Request): void {
  if (isHandshake(request)) return;
  throw new AppError("invalid", "websocket_required", "This path needs a WebSocket connection.", {
    details: {
      hint: "Open it with a WebSocket client; POST …/run with `Accept: text/event-stream` streams over HTTP.",
    },
  });
}

function encodeFrame(frame: object): string {
  return encodeSse({ data: JSON.stringify(frame) });
}
