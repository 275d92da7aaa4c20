import type { RunnableAgent } from "../../../engine/agents/runnable-agent.ts";
import type { GoAhead } from "../../../engine/approvals/paused-run.ts";
import { runWithApprovals } from "../../../engine/approvals/run-with-approvals.ts";
import { createEventQueue } from "../../../engine/chain/event-queue.ts";
import type { RunPorts } from "../../../engine/run/run.ts";
import type { RunEvent } from "../../../engine/run-state/run-event.ts";
import type { EngineRequest } from "../../../engine/run-state/run-request.ts";
import { AppError, toAppError } from "../../../kit/app-error.ts";
import type { Logger } from "../../../kit/log.ts";
import type { Outcome } from "./approval-vault.ts";
import { awaiting, logWaiting, newApproval, type PausedRuns } from "./paused-runs.ts";
import type { ApprovalRow } from "./schema.ts";
import { endApproval, type NewApproval, releaseApproval } from "./store.ts";

/** Lease of a process on a run it resumes. Without renewal, the process is taken for dead after this time. */
export const holdMs = 120_000;

/** Dependencies for resuming runs. */
export interface ResumeDeps {
  runs: RunPorts;
  /** Aborts when the time for a graceful stop is over. */
  stopping: AbortSignal;
  log: Logger;
}

/** Properties of the request that decides, or brings a result: whether it streams events, its abort signal, and its id for the log. */
export interface Decider {
  stream: boolean;
  signal: AbortSignal;
  requestId: string;
}

type Resumption = GoAhead & {
  row: ApprovalRow;
  agent: RunnableAgent;
  decider: Decider;
  /** Request fields that replace those the run had before. */
  terms?: Partial<Pick<EngineRequest, "cancelledBy" | "means" | "limits">>;
  /** Releases the run's place. */
  leave: () => void;
};

/** Resumes a claimed run in the background. Returns its events, which end when the run ends. */
export function resumeRun(
  deps: ResumeDeps,
  pausedRuns: PausedRuns,
  resumption: Resumption,
): AsyncIterable<RunEvent> {
  const { id } = resumption.row;
  const queue = createEventQueue<RunEvent>();
  let failure: { thrown: unknown } | undefined;
  const end = carryThrough(deps, pausedRuns, resumption, queue.push)
    .catch((thrown: unknown) => {
      failure = { thrown };
    })
    .finally(() => {
      resumption.leave();
      pausedRuns.resuming.delete(id);
      for (const listener of pausedRuns.endListeners) listener();
      queue.end();
    });
  pausedRuns.resuming.set(id, end);
  return {
    async *[Symbol.asyncIterator]() {
      yield* queue;
      if (failure !== undefined) throw failure.thrown;
    },
  };
}

/** Runs to the end and writes the outcome before any listener learns of it. */
async function carryThrough(
  deps: ResumeDeps,
  pausedRuns: PausedRuns,
  resumption: Resumption,
  emit: (event: RunEvent) => void,
): Promise<void> {
  const { row, agent, decider, terms } = resumption;
  const goAhead = "result" in resumption ? { result: resumption.result } : { decision: resumption.decision };
  let isReached = false;
  let paused: AppError | undefined;
  try {
    const kept = pausedRuns.vault.open("run", row);
    if (kept === undefined) throw new Error(`The approval ${row.id} holds no run.`);
    const request: EngineRequest = {
      ...kept.request,
      tenant: row.tenant,
      stream: decider.stream,
      cancelledBy: [deps.stopping],
      requestId: decider.requestId,
      ...terms,
    };
    const reached = () => {
      isReached = true;
    };
    const events = runWithApprovals(deps.runs, agent, request, { run: kept.run, ...goAhead, reached });
    for (let next = await events.next(); ; next = await events.next()) {
      if (next.done === true) {
        if (next.value === undefined) return;
        const approval = newApproval(
          pausedRuns,
          { agent: agent.name, fingerprint: row.fingerprint },
          request,
          next.value,
        );
        await end(pausedRuns, row, undefined, approval);
        logWaiting(deps.log, approval, next.value.pending);
        paused = awaiting(approval, next.value.pending);
        throw paused;
      }
      const event = next.value;
      if (event.type === "done") await end(pausedRuns, row, { result: event.result });
      emit(event);
    }
  } catch (thrown) {
    if (thrown !== paused) await writeFailure(deps, pausedRuns, row, isReached, toAppError(thrown));
    throw thrown;
  }
}

async function end(
  { storage, vault, owner, clock }: PausedRuns,
  row: ApprovalRow,
  outcome: Outcome | undefined,
  next?: NewApproval,
): Promise<void> {
  const ending = {
    owner,
    now: clock.now(),
    outcome: outcome === undefined ? null : vault.seal("outcome", outcome, row),
    failed: outcome !== undefined && "error" in outcome,
  };
  if (await endApproval(storage, row.tenant, row.id, ending, next)) return;
  throw new AppError(
    "conflict",
    "approval_abandoned",
    "The resumed run reported nothing for too long and was marked as failed.",
  );
}

/** A run that did not reach the decided call has done nothing, so it can be decided on again. */
async function writeFailure(
  { log }: ResumeDeps,
  pausedRuns: PausedRuns,
  row: ApprovalRow,
  isReached: boolean,
  { code, message, cause }: AppError,
): Promise<void> {
  try {
    if (isReached || code === "run_diverged") {
      await end(pausedRuns, row, { error: { code, message } });
    } else await releaseApproval(pausedRuns.storage, row.tenant, row.id, pausedRuns.owner);
  } catch (unwritten) {
    log.error("approval.unwritten", { approval_id: row.id, code, err: unwritten, cause });
  }
}
