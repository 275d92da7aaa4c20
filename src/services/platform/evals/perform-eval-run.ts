import { and, eq } from "drizzle-orm";
import type { RunResult } from "../../../contracts/daemon/runs/run.ts";
import type { RuntimeFrame } from "../../../contracts/runtime/client.ts";
import type { RunEnded } from "../../../contracts/runtime/runs.ts";
import type { CheckPorts } from "../../../evals/checks/check.ts";
import type { Observation } from "../../../evals/checks/observation.ts";
import { summarize } from "../../../evals/report/summarize.ts";
import { observeFailure, observeResult } from "../../../evals/running/observe-run.ts";
import {
  type Attempt,
  attemptKey,
  ownTarget,
  planAttempts,
  targetsOf,
} from "../../../evals/running/plan-attempts.ts";
import { runAttempts } from "../../../evals/running/run-attempts.ts";
import { type AppError, toAppError } from "../../../kit/app-error.ts";
import { sleep } from "../../../kit/clock.ts";
import type { Candidate, Registrations } from "../agents/registrations.ts";
import { beginWith, type RunCall } from "../runs/admission/begin-run.ts";
import { type BegunRun, performRun } from "../runs/perform-run.ts";
import { lastOutcome } from "../runs/run-once.ts";
import type { EvalDeps } from "./deps.ts";
import { storedEval } from "./read-eval.ts";
import { endEvalRun, evalRunCancelled, keepResult, readResults, requireOpen } from "./run-store.ts";
import type { EvalRunRow } from "./schema.ts";

export interface EvalRunStops {
  /** The process stops: the run stays open for another. */
  stopped: AbortSignal;
  /** A person ended the run. */
  cancelled: AbortSignal;
}

/**
 * Performs a run, or what is left of it. Each case is a run of the tenant like any other: admitted under its plan, recorded and charged. A
 * case that was under way when a process died is asked again.
 */
export async function performEvalRun(
  deps: EvalDeps,
  registrations: Registrations,
  run: EvalRunRow,
  { stopped, cancelled }: EvalRunStops,
): Promise<void> {
  const { storage, clock } = deps;
  const end = (ended: Parameters<typeof endEvalRun>[2]) => endEvalRun(storage, run, ended, clock.now());
  const head = { targets: [ownTarget], cases: run.cases, repeat: run.repeat };
  const candidate = candidateOf(run);
  const results = (await readResults(deps, run)).map(({ result }) => result);
  try {
    const { cases, spec } = await storedEval(run.document ?? {});
    const attempts = planAttempts(cases, targetsOf([], []), run.repeat);
    const numbers = new Map(
      attempts.map(({ case: { id }, target: { name }, repeat }, index) => [
        attemptKey({ case: id, target: name, repeat }),
        index + 1,
      ]),
    );
    const asking = { deps, registrations, run, candidate, others: spec.tools.others };
    const { ending } = await runAttempts(
      attempts,
      {
        ask: (attempt, signal) => askCandidate(asking, attempt, signal),
        checks: freeChecks,
        async keep(result) {
          await keepResult(deps, run, numbers.get(attemptKey(result)) ?? 0, result);
          results.push(result);
        },
      },
      {
        concurrency: run.concurrency,
        budgetMicros: run.budgetMicros ?? undefined,
        earlier: [...results],
        signal: AbortSignal.any([stopped, cancelled]),
      },
    );
    if (stopped.aborted || cancelled.aborted) return;
    await end({
      status: ending === "complete" ? "complete" : "budget",
      summary: summarize(head, results, ending),
    });
  } catch (thrown) {
    if (stopped.aborted || cancelled.aborted) return;
    const error = toAppError(thrown);
    if (error.code === cancelledCode) return void (await end({ status: "cancelled" }));
    if (error.kind === "internal") deps.log.error("eval_run.broke", { run: run.id, err: thrown });
    await end({ status: "failed", summary: summarize(head, results, "interrupted"), error });
  } finally {
    registrations.drop(candidate);
    await deps.runtime
      .deregister(registrations.runtimeNameOf(candidate), candidate.memoryId, run.tenantId)
      .catch((thrown: unknown) => deps.log.warn("eval_run.left_over", { run: run.id, err: thrown }));
  }
}

const cancelledCode = evalRunCancelled().code;

/** The version that is asked: an agent of its own in the runtime, with a memory that ends with the run. */
function candidateOf({
  id,
  tenantId,
  agentId,
  agentName,
  subscriptionId,
  checksum,
  spec,
}: EvalRunRow): Candidate {
  return {
    tenantId,
    // A run of an agent that was never published belongs to the eval's run alone.
    id: agentId ?? id,
    name: agentName,
    version: candidateVersion,
    subscriptionId,
    checksum,
    spec: spec ?? {},
    namespace: `e-${id}`,
    memoryId: id,
  };
}

/** Version of runs that ask a candidate: it has no number yet. */
const candidateVersion = 0;

/** Evals of tenants have no checks that call models. */
const freeChecks: CheckPorts = {
  embed: () => Promise.reject(new TypeError("A hosted eval has no embedder.")),
  judge: () => Promise.reject(new TypeError("A hosted eval has no judge.")),
};

interface Asking {
  deps: EvalDeps;
  registrations: Registrations;
  run: EvalRunRow;
  candidate: Candidate;
  others: "refuse" | "execute";
}

/** Asks the turns of an attempt in a session of its own. Stops at a turn that fails. */
async function askCandidate(asking: Asking, attempt: Attempt, signal: AbortSignal): Promise<Observation[]> {
  const { deps, run, others } = asking;
  await requireOpen(deps, run);
  const { turns, stubs } = attempt.case;
  const session = `eval-${deps.newId()}`;
  const seen: Observation[] = [];
  for (const { query, context } of turns) {
    const turn = await askOnce(
      asking,
      {
        tenant: { tenantId: run.tenantId, author: run.author },
        agentName: run.agentName,
        query,
        session_id: session,
        context,
        stream: false,
        idempotencyKey: undefined,
        cancelledBy: [signal],
        trial: {
          tool_stubs: { stubs: [...stubs], others },
          remember: turns.length === 1 ? "nothing" : "conversation",
        },
      },
      signal,
    );
    seen.push(turn);
    if (turn.error !== undefined) break;
  }
  return seen;
}

async function askOnce(asking: Asking, call: RunCall, signal: AbortSignal): Promise<Observation> {
  const { deps } = asking;
  const begun = await begin(asking, call, signal);
  let ended: RunEnded | undefined;
  const frames = async function* (): AsyncGenerator<RuntimeFrame, void> {
    for await (const frame of begun.frames()) {
      if (frame.type === "ended") ended = frame;
      yield frame;
    }
  };
  const outcome = await lastOutcome(performRun(deps, { ...begun, frames }));
  signal.throwIfAborted();
  const { invocationId } = begun;
  if (outcome.kind === "done") {
    const seen = observeResult(call.query, ended?.result as RunResult, undefined);
    return { ...seen, invocationId, creditsMicros: outcome.result.credits_charged_micros };
  }
  const error =
    outcome.kind === "failed"
      ? outcome.error
      : { code: "awaiting_approval", message: "The run waits for a person." };
  return { ...observeFailure(call.query, error, {}), invocationId, creditsMicros: 0 };
}

/** Delays between attempts to begin a run that the tenant's limits refuse for now, in seconds. */
const waitsSeconds = [1, 2, 5, 10, 30];
/** An hour of waiting. */
const waitsMax = 120;

/** Begins a run; waits while the tenant has too many. Any other refusal ends the eval's run. */
async function begin(asking: Asking, call: RunCall, signal: AbortSignal): Promise<BegunRun> {
  const { deps, registrations, candidate, run } = asking;
  let wasOutOfCredits = false;
  for (let refused = 0; ; refused++) {
    try {
      const ready = await registrations.ready(candidate);
      const pushAgain = () => registrations.pushAgain(candidate);
      const beginning = await beginWith(deps, { agent: candidate, ready, pushAgain }, call);
      if (beginning.kind === "begun") return beginning.run;
      throw new TypeError("A run without a key is never a repetition.");
    } catch (thrown) {
      const error = toAppError(thrown);
      const wait = waitAfter(error, refused);
      if (wait === undefined) throw thrown;
      // Credits come back only from runs that end. The last one may have ended since the refusal, so a second one counts.
      const isOutOfCredits = error.kind === "payment_required" && !(await hasRunning(deps, run.tenantId));
      if (isOutOfCredits && wasOutOfCredits) throw thrown;
      wasOutOfCredits = isOutOfCredits;
      if (isOutOfCredits) continue;
      await sleep(deps.clock, wait * 1000, signal);
      await requireOpen(deps, run);
    }
  }
}

/** Returns the seconds to wait after a refusal; undefined if waiting is no use. */
function waitAfter({ kind, details }: AppError, refused: number): number | undefined {
  const isPassing = kind === "rate_limited" || kind === "payment_required";
  if (!isPassing || refused >= waitsMax) return undefined;
  const least = waitsSeconds[Math.min(refused, waitsSeconds.length - 1)] ?? 30;
  const asked = details.retryAfterSeconds ?? 0;
  return asked > 120 ? undefined : Math.max(least, asked);
}

/** Returns true if the tenant has a run in progress, which holds credits. */
async function hasRunning({ storage: { read, tables } }: EvalDeps, tenantId: string): Promise<boolean> {
  const { invocations } = tables;
  const running = await read
    .select({ id: invocations.id })
    .from(invocations)
    .where(and(eq(invocations.tenantId, tenantId), eq(invocations.status, "in_progress")))
    .limit(1);
  return running.length > 0;
}
