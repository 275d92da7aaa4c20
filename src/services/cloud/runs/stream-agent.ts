import { type CloudFrame, CloudRunRequest } from "../../../contracts/cloud/runs.ts";
import type { Call, SocketHandler } from "../../../http/call.ts";
import { invalidPart } from "../../../http/errors/validation-problems.ts";
import { createWebSocketSession, upgradeToWebSocket } from "../../../http/streams/web-socket-session.ts";
import { AppError } from "../../../kit/app-error.ts";
import { schemaChecker } from "../../../kit/json/schema-checker.ts";
import type { Proof } from "../access/credentials.ts";
import { beginRun, requireDeployed } from "./begin-run.ts";
import { limitReached, rateLimitHeaders, readDailyLimit, remainingOf } from "./daily-limit.ts";
import type { CloudRunDeps } from "./deps.ts";
import type { OpenStreams } from "./open-streams.ts";
import { performRun } from "./perform-run.ts";
import { type RunCaller, requireRunCaller } from "./run-caller.ts";
import { errorFrame } from "./run-outcome.ts";

export interface StreamCall {
  proof: Proof;
  slug: string;
  agentName: string;
  request: Request;
  call: Call;
}

/** Opens the stream of an agent. Every refusal is answered with its HTTP status before the upgrade. */
export async function openStream(
  deps: CloudRunDeps,
  streams: OpenStreams,
  { proof, slug, agentName, request, call }: StreamCall,
  headers: Record<string, unknown>,
): Promise<void> {
  const { actor, runnable } = await requireRunCaller(deps, proof, { slug, name: agentName });
  const state = await readDailyLimit(deps, actor);
  const told = rateLimitHeaders(state);
  Object.assign(headers, told);
  await requireDeployed(deps, { actor, runnable, agentName });
  if (remainingOf(state) === 0) throw limitReached(state.limit, deps.clock.now());
  const leave = await streams.enter(actor.org.id);
  try {
    upgradeToWebSocket(request, call, sessionOf(deps, { proof, slug, agentName, call, leave }), told);
  } catch (thrown) {
    await leave();
    throw thrown;
  }
}

function sessionOf(
  deps: CloudRunDeps,
  { proof, slug, agentName, call, leave }: Omit<StreamCall, "request"> & { leave: () => Promise<void> },
): SocketHandler {
  const sessionId = deps.newId();
  const ended = new WeakSet<AppError>();
  /** The credential may have ended since the last query. */
  const callerNow = async (): Promise<RunCaller> => {
    try {
      return await requireRunCaller(deps, proof, { slug, name: agentName });
    } catch (thrown) {
      if (thrown instanceof AppError && thrown.status < 500) ended.add(thrown);
      throw thrown;
    }
  };
  const session = createWebSocketSession({
    async *answer(frame, signal): AsyncGenerator<CloudFrame> {
      const caller = await callerNow();
      const request = { session_id: sessionId, ...queryOf(frame) };
      const run = await beginRun(deps, { ...caller, agentName, request, isCounted: true, isStreamed: true });
      const result = yield* performRun(deps, run, [signal]);
      yield { type: "done", ...result };
    },
    errorFrame,
    isFinal: (error) => ended.has(error),
    call,
  });
  return {
    ...session,
    close(socket) {
      void leave();
      session.close(socket);
    },
  };
}

const frames = schemaChecker(CloudRunRequest);

function queryOf(frame: unknown): CloudRunRequest {
  if (frames.fits(frame)) return frame;
  throw invalidPart("The frame", frames.faultsOf(frame), CloudRunRequest);
}
