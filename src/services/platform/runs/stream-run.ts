import { type Call, holdOpen } from "../../../http/call.ts";
import { eventStream } from "../../../http/event-stream.ts";
import { upgradeToWebSocket } from "../../../http/web-socket-session.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { PlatformDeps } from "../deps.ts";
import { beginRun, type RunCall } from "./begin-run.ts";
import { type BegunRun, performRun } from "./perform-run.ts";
import type { Registrations } from "./registrations.ts";
import { replayRun } from "./replay-run.ts";
import { runSocket } from "./run-socket.ts";
import { settleInvocation } from "./settle-invocation.ts";
import { errorFrame, terminalFrame } from "./stream-frames.ts";

/** Opens the WebSocket of a run; all that can refuse it has answered with its status before the upgrade. */
export async function openRunSocket(
  deps: PlatformDeps,
  registrations: Registrations,
  runCall: RunCall,
  { request, call }: { request: Request; call: Call },
): Promise<void> {
  requireHandshake(request);
  const run = await beginStream(deps, registrations, runCall);
  try {
    upgradeToWebSocket(request, call, runSocket(deps, run, call));
  } catch (thrown) {
    await abandon(deps, run);
    throw thrown;
  }
}

/** The same run as server-sent events. */
export async function streamRunEvents(
  deps: PlatformDeps,
  registrations: Registrations,
  runCall: RunCall,
  { request, call }: { request: Request; call: Call },
): Promise<Response> {
  holdOpen(call, request);
  const run = await beginStream(deps, registrations, runCall);
  return eventStream({
    source: (gone) => framesOf(deps, { ...run, cancelledBy: [...run.cancelledBy, request.signal, gone] }),
    encode: encodeFrame,
    encodeError: (error) => encodeFrame(errorFrame(run.invocationId, error)),
    call,
    request,
    clock: deps.clock,
  });
}

async function* framesOf(deps: PlatformDeps, run: BegunRun): AsyncGenerator<object> {
  const outcome = yield* performRun(deps, run);
  yield terminalFrame(run.invocationId, outcome);
}

/** A stream shows a run as it goes: a key whose run was made already has none to show. */
async function beginStream(
  deps: PlatformDeps,
  registrations: Registrations,
  runCall: RunCall,
): Promise<BegunRun> {
  const beginning = await beginRun(deps, registrations, runCall);
  if (beginning.kind === "begun") return beginning.run;
  const { invocationId } = beginning;
  const replay = await replayRun(deps, { tenantId: runCall.tenant.tenantId, invocationId });
  const state = "inProgress" in replay ? "is under way" : "has ended";
  throw new AppError("conflict", "run_not_streamable", `The run of this idempotency_key ${state}.`, {
    details: { hint: `POST the same run without a stream, or read its invocation ${invocationId}.` },
  });
}

/** A run that nobody can watch has not begun. */
async function abandon({ storage, clock }: PlatformDeps, run: BegunRun): Promise<void> {
  const ending = {
    status: "cancelled" as const,
    errorCode: "run_cancelled",
    message: "The run was cancelled.",
    usage: [],
    durationMs: 0,
    isCharged: false,
  };
  await settleInvocation(storage, run, ending, clock.now());
}

/** Told before anything is counted. */
function requireHandshake({ headers }: Request): void {
  if (headers.get("upgrade")?.toLowerCase() === "websocket") return;
  throw new AppError("invalid", "websocket_required", "This path is a WebSocket.", {
    details: {
      hint: "Open it with a WebSocket client; POST …/run with `Accept: text/event-stream` streams over HTTP.",
    },
  });
}

function encodeFrame(frame: object): string {
  return `data: ${JSON.stringify(frame)}\n\n`;
}
