import { Value } from "@sinclair/typebox/value";
import { SessionId } from "../../../contracts/daemon/runs/run.ts";
import type { FireFacts, Trigger } from "../../../engine/triggers/compile-triggers.ts";
import { AppError, toAppError } from "../../../kit/app-error.ts";
import { retry } from "../../../kit/retry.ts";
import { awaitedIn } from "../paused-runs/paused-runs.ts";
import type { RunDeps } from "../runs/admit-run.ts";
import { locateAgent } from "../runs/locate-agent.ts";
import { runInput } from "../runs/run-input.ts";
import { runOnce } from "../runs/run-once.ts";
import type { FireRow } from "./schema.ts";
import type { FireEnd } from "./store.ts";

/** Both the running places and the waiting queue may be full for a moment. */
const busyRetry = { attempts: 5, delaysMs: [1_000, 2_000, 5_000, 10_000] };
const messageCharsMax = 500;

/** Runs the agent of a fire once, and returns how that ended; `left` if another process continues the run. Never throws. */
export async function runFire(
  deps: RunDeps,
  trigger: Trigger,
  fire: FireRow,
  isDurable: boolean,
): Promise<FireEnd | "left"> {
  let sessionId: string | undefined;
  try {
    const question = await trigger.ask(factsOf(fire));
    sessionId = question.sessionId ?? deps.newId();
    if (!Value.Check(SessionId, sessionId))
      throw new AppError("unprocessable", "template_failed", "session_id renders to no session id.");
    const body = { query: question.query, session_id: sessionId };
    const request = {
      ...runInput(deps, body, {
        stream: false,
        signal: deps.stopping,
        requestId: fire.id,
        key: { name: `fire ${fire.id}`, isShared: false },
      }),
      ...(question.sessionId === undefined && { isNewSession: true }),
      trigger: { name: fire.trigger, type: fire.type, fire: fire.id },
    };
    const result = await retry(
      // Looked up for each attempt, so a changed file takes effect at the next one.
      async () => runOnce(deps, await locateAgent(deps, fire.agent, { sender: "owner" }), request),
      {
        ...busyRetry,
        clock: deps.clock,
        random: deps.runs.random,
        signal: deps.stopping,
        shouldRetry: (thrown) => toAppError(thrown).code === "too_busy",
      },
    );
    const { trace_id: traceId, session_id } = result;
    return { status: "completed", endedAt: deps.clock.now(), traceId, sessionId: session_id };
  } catch (thrown) {
    const end = endOf(thrown, deps);
    return end.status === "interrupted" && isDurable ? "left" : { ...end, sessionId: sessionId ?? null };
  }
}

function factsOf({ trigger: name, type, dueAt, byPerson, payload }: FireRow): FireFacts {
  const by = byPerson ? "person" : "event";
  return { trigger: { name, type, at: dueAt.toISOString(), by }, payload };
}

function endOf(thrown: unknown, { clock, runs, stopping, log }: RunDeps): FireEnd {
  const error = toAppError(thrown);
  const traceId = error.details.facts?.trace_id;
  const ended = { endedAt: clock.now(), traceId: typeof traceId === "string" ? traceId : null };
  const awaited = awaitedIn(error);
  if (awaited !== undefined)
    return {
      ...ended,
      status: "waiting",
      awaits: "call_id" in awaited ? awaited.call_id : awaited.approval_id,
    };
  if (error.kind === "internal") log.error("trigger.failed", { err: thrown });
  return {
    ...ended,
    status: stopping.aborted ? "interrupted" : "failed",
    errorCode: error.code,
    errorMessage: (runs.maskKnown?.(error.message) ?? error.message).slice(0, messageCharsMax),
  };
}
