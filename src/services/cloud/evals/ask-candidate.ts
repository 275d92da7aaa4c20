import { eq } from "drizzle-orm";
import type { RunResult } from "../../../contracts/daemon/runs/run.ts";
import type { RunEnded, RuntimeRun } from "../../../contracts/runtime/runs.ts";
import { turnWaitSeconds } from "../../../control-plane/evals/turn-wait.ts";
import { type Following, followRun, type RunEnd, runToEnd } from "../../../control-plane/runs/follow-run.ts";
import { pushedFrames } from "../../../control-plane/runs/runtime-frames.ts";
import type { Observation } from "../../../evals/checks/observation.ts";
import type { AskedRuns, AskedTurn } from "../../../evals/hosted/perform-eval-run.ts";
import { evalRunCancelled } from "../../../evals/hosted/run-store.ts";
import type { EvalRunRow } from "../../../evals/hosted/tables.ts";
import { observeFailure, observeResult } from "../../../evals/running/observe-run.ts";
import { toAppError } from "../../../kit/app-error.ts";
import { sleep } from "../../../kit/clock.ts";
import type { Worker } from "../../../kit/worker.ts";
import { limitsOf } from "../access/plans.ts";
import { registerAgent, runtimeChecksumOf, runtimeIdOf } from "../agents/registrations.ts";
import { orgOwner } from "../members/org-owner.ts";
import { requireProviderKeys } from "../providers/provider-keys.ts";
import { requireOrgRoom } from "../room/org-room.ts";
import type { DailyAdmission } from "../runs/daily-limit.ts";
import { runTimeoutMs } from "../runs/perform-run.ts";
import { endedResult, tokensOf } from "../runs/run-outcome.ts";
import { type CloudEvalDeps, hosted } from "./deps.ts";
import type { OrgEvalSubject } from "./schema.ts";

/** Worker that performs the runs of orgs' evals. */
export const evalRunWorker = (deps: CloudEvalDeps): Worker =>
  deps.evalWork.worker("cloud-eval-runs", hosted(deps), (run) => askedRuns(deps, run));

/** Asks the version of an eval's run. Each turn is a run of the org like any other: counted, with the org's own provider keys. */
function askedRuns(deps: CloudEvalDeps, run: EvalRunRow): AskedRuns {
  const { runtime } = deps;
  return {
    ask: (turn, signal) => askOnce(deps, run, turn, signal),
    spentBy: ({ tokens }) => tokens,
    close: () => runtime.deregister(candidateId(run), run.id, run.ownerId),
  };
}

/** Namespace of the version in the runtime. No org has a slug of this form. */
const namespaceOf = ({ id }: Pick<EvalRunRow, "id">) => `e-${id}`;

const candidateId = (run: EvalRunRow) => runtimeIdOf(namespaceOf(run), run.agentName);

async function askOnce(
  deps: CloudEvalDeps,
  run: EvalRunRow,
  turn: AskedTurn,
  signal: AbortSignal,
): Promise<Observation> {
  const admitted = await admit(deps, run);
  const body = await bodyOf(deps, run, turn);
  let ended: RunEnded | undefined;
  try {
    ended = await endOf(deps, run, body, signal);
    endedResult({ ended, thrown: undefined, stopped: undefined });
    return { ...observeResult(turn.query, ended.result as RunResult, undefined), tokens: tokensOf(ended) };
  } catch (thrown) {
    signal.throwIfAborted();
    const error = toAppError(thrown);
    if (error.kind === "internal") throw thrown;
    return { ...observeFailure(turn.query, error, {}), tokens: tokensOf(ended) };
  } finally {
    deps.runUsage.add(admitted, "eval", ended?.usage ?? []);
  }
}

/** Counts the turn as a run of the org's day. Throws `daily_limit_reached`, which ends the eval's run. */
async function admit(
  { storage, plans, admissions }: CloudEvalDeps,
  run: EvalRunRow,
): Promise<DailyAdmission> {
  const { orgs } = storage.tables;
  const [org] = await storage.read
    .select({ id: orgs.id, slug: orgs.slug, displayName: orgs.displayName, plan: orgs.plan })
    .from(orgs)
    .where(eq(orgs.id, run.ownerId));
  if (org === undefined) throw evalRunCancelled();
  const caller = { org, limits: limitsOf(plans, org.plan) };
  await requireOrgRoom({ storage }, caller);
  return admissions.admit(caller, run.agentName);
}

async function bodyOf(
  deps: CloudEvalDeps,
  run: EvalRunRow,
  { query, context, sessionId, stubs, others, isRemembered }: AskedTurn,
): Promise<RuntimeRun> {
  const { providers } = run.subject as OrgEvalSubject;
  return {
    run_id: deps.newId(),
    owner: await orgOwner(deps, run.ownerId),
    checksum: runtimeChecksumOf(run),
    query,
    session_id: sessionId,
    context,
    stream: false,
    provider_keys: await requireProviderKeys(deps, run.ownerId, providers),
    late_usage: true,
    limits: { timeout_ms: runTimeoutMs },
    tool_stubs: { stubs, others },
    remember: isRemembered ? "conversation" : "nothing",
    source: "eval",
  };
}

/** Performs a run, and waits while the runtime has no place for it. */
async function endOf(
  deps: CloudEvalDeps,
  run: EvalRunRow,
  body: RuntimeRun,
  signal: AbortSignal,
): Promise<RunEnded> {
  const frames = () =>
    pushedFrames(
      () => deps.runtime.run(candidateId(run), body),
      () => registerCandidate(deps, run),
    );
  for (let refused = 0; ; refused++) {
    const followed = { runId: body.run_id, frames, cancelledBy: [signal] };
    const { ended, thrown } = await runToEnd(followRun(deps, followed, unseen));
    if (ended !== undefined) return ended;
    signal.throwIfAborted();
    const wait = toAppError(thrown).code === "too_busy" ? turnWaitSeconds(refused) : undefined;
    if (wait === undefined) throw thrown ?? new TypeError("The runtime sent no last frame.");
    await sleep(deps.clock, wait * 1000, signal);
  }
}

/** Nobody reads the frames of an eval's runs. */
const unseen: Following<never, RunEnd, RunEnd> = {
  show: () => undefined,
  settle: (end) => end,
  resultOf: (end) => end,
};

/** Registers the version that is asked: an agent of its own in the runtime, with a memory that ends with the run. */
const registerCandidate = ({ runtime }: CloudEvalDeps, run: EvalRunRow): Promise<void> =>
  registerAgent(runtime, {
    id: run.id,
    orgId: run.ownerId,
    slug: namespaceOf(run),
    name: run.agentName,
    spec: run.spec,
    checksum: run.checksum,
  });
