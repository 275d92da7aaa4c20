import { and, eq, isNull, sql } from "drizzle-orm";
import type { RunResult } from "../../../contracts/daemon/runs/run.ts";
import type { RuntimeFrame } from "../../../contracts/runtime/client.ts";
import type { RunEnded } from "../../../contracts/runtime/runs.ts";
import { turnWaitSeconds } from "../../../control-plane/evals/turn-wait.ts";
import { runToEnd } from "../../../control-plane/runs/follow-run.ts";
import type { Observation } from "../../../evals/checks/observation.ts";
import type { AskedRuns, AskedTurn } from "../../../evals/hosted/perform-eval-run.ts";
import { evalRunCancelled, requireOpen } from "../../../evals/hosted/run-store.ts";
import type { EvalRunRow } from "../../../evals/hosted/tables.ts";
import { observeFailure, observeResult } from "../../../evals/running/observe-run.ts";
import { type AppError, toAppError } from "../../../kit/app-error.ts";
import { sleep } from "../../../kit/clock.ts";
import type { Worker } from "../../../kit/worker.ts";
import { type Candidate, Registrations } from "../agents/registrations.ts";
import { beginWith, type RunCall } from "../runs/admission/begin-run.ts";
import { type BegunRun, performRun } from "../runs/perform-run.ts";
import { type EvalDeps, hosted } from "./deps.ts";
import type { TenantEvalSubject } from "./schema.ts";

/** Worker that performs the runs of tenants' evals. */
export function evalRunWorker(deps: EvalDeps): Worker {
  const registrations = new Registrations(deps);
  return deps.evalWork.worker("eval-runs", hosted(deps), (run) => askedRuns(deps, registrations, run));
}

/** Asks the version of an eval's run. Each turn is a run of the tenant like any other: admitted under its plan, recorded and charged. */
function askedRuns(deps: EvalDeps, registrations: Registrations, run: EvalRunRow): AskedRuns {
  const candidate = candidateOf(run);
  const asking = { deps, registrations, run, candidate };
  return {
    async ask(turn, signal) {
      await requireTenant(deps, run.ownerId);
      return askOnce(asking, callOf(run, turn, signal), signal);
    },
    spentBy: ({ credits_micros: micros = 0 }) => micros,
    async close() {
      registrations.drop(candidate);
      await deps.runtime.deregister(
        registrations.runtimeNameOf(candidate),
        candidate.memoryId,
        candidate.tenantId,
      );
    },
  };
}

/** The version that is asked: an agent of its own in the runtime, with a memory that ends with the run. */
function candidateOf({ id, ownerId, agentName, subject, checksum, spec }: EvalRunRow): Candidate {
  const { agentId, subscriptionId } = subject as TenantEvalSubject;
  return {
    tenantId: ownerId,
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

interface Asking {
  deps: EvalDeps;
  registrations: Registrations;
  run: EvalRunRow;
  candidate: Candidate;
}

const callOf = (
  { ownerId, author, agentName }: EvalRunRow,
  { query, context, sessionId, stubs, others, isRemembered }: AskedTurn,
  signal: AbortSignal,
): RunCall => ({
  tenant: { tenantId: ownerId, author },
  agentName,
  query,
  session_id: sessionId,
  context,
  stream: false,
  idempotencyKey: undefined,
  source: "eval",
  cancelledBy: [signal],
  trial: { tool_stubs: { stubs, others }, remember: isRemembered ? "conversation" : "nothing" },
});

/** Throws `eval_run_cancelled` if the tenant is deleted. */
async function requireTenant({ storage: { read, tables } }: EvalDeps, tenantId: string): Promise<void> {
  const { tenants } = tables;
  const [present] = await read
    .select({ id: tenants.id })
    .from(tenants)
    .where(and(eq(tenants.id, tenantId), isNull(tenants.deletedAt)));
  if (present === undefined) throw evalRunCancelled();
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
  const outcome = await runToEnd(performRun(deps, { ...begun, frames }));
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
      const isOutOfCredits = error.kind === "payment_required" && !(await hasRunning(deps, run.ownerId));
      if (isOutOfCredits && wasOutOfCredits) throw thrown;
      wasOutOfCredits = isOutOfCredits;
      if (isOutOfCredits) continue;
      await sleep(deps.clock, wait * 1000, signal);
      await requireOpen(hosted(deps), run);
    }
  }
}

/** Returns the seconds to wait after a refusal; undefined if waiting is no use. */
function waitAfter({ kind, details }: AppError, refused: number): number | undefined {
  const isPassing = kind === "rate_limited" || kind === "payment_required";
  const least = isPassing ? turnWaitSeconds(refused) : undefined;
  if (least === undefined) return undefined;
  const retrySeconds = details.retryAfterSeconds ?? 0;
  return retrySeconds > 120 ? undefined : Math.max(least, retrySeconds);
}

/** Returns true if the tenant has a run in progress, which holds credits. */
async function hasRunning({ storage: { read, tables } }: EvalDeps, tenantId: string): Promise<boolean> {
  const { invocations } = tables;
  const running = await read
    .select({ id: invocations.id })
    .from(invocations)
    .where(and(eq(invocations.tenantId, tenantId), sql`${invocations.status} = 'in_progress'`))
    .limit(1);
  return running.length > 0;
}
