import type { GoAhead } from "../../../engine/approvals/paused-run.ts";
import { runWithApprovals } from "../../../engine/approvals/run-with-approvals.ts";
import { createEventQueue } from "../../../engine/chain/event-queue.ts";
import type { RunEvent } from "../../../engine/run/run-event.ts";
import type { RunRequest } from "../../../engine/run/run-request.ts";
import type { RunnableAgent } from "../../../engine/run/runnable-agent.ts";
import { AppError, toAppError } from "../../../kit/app-error.ts";
import type { DaemonDeps } from "../deps.ts";
import { type ApprovalDesk, awaiting, logWaiting, newApproval } from "./approval-desk.ts";
import type { Outcome } from "./approval-vault.ts";
import type { Decider } from "./decide-approval.ts";
import type { ApprovalRow } from "./schema.ts";
import { endApproval, type NewApproval, releaseApproval } from "./store.ts";

/** Lease of a process on a run it resumes. Without renewal, the process is taken for dead after this time. */
export const holdMs = 120_000;

/** Dependencies for resuming runs. */
export type GoingDeps = Pick<DaemonDeps, "runs" | "stopping" | "log">;

type Going = GoAhead & {
  row: ApprovalRow;
  agent: RunnableAgent;
  decider: Decider;
  /** Request fields that replace those the run had before. */
  terms?: Partial<Pick<RunRequest, "cancelledBy" | "means" | "limits">>;
  /** Releases the run's place. */
  leave: () => void;
};

/** Resumes a claimed run in the background. Returns its events, which end when the run ends. */
export function goOn(deps: GoingDeps, desk: ApprovalDesk, going: Going): AsyncIterable<RunEvent> {
  const { id } = going.row;
  const queue = createEventQueue<RunEvent>();
  let failure: { thrown: unknown } | undefined;
  const end = carryThrough(deps, desk, going, queue.push)
    .catch((thrown: unknown) => {
      failure = { thrown };
    })
    .finally(() => {
      going.leave();
      desk.goingOn.delete(id);
      for (const tell of desk.overListeners) tell();
      queue.end();
    });
  desk.goingOn.set(id, end);
  return {
    async *[Symbol.asyncIterator]() {
      yield* queue;
      if (failure !== undefined) throw failure.thrown;
    },
  };
}

/** Runs to the end and writes the outcome before any listener learns of it. */
async function carryThrough(
  deps: GoingDeps,
  desk: ApprovalDesk,
  going: Going,
  tell: (event: RunEvent) => void,
): Promise<void> {
  const { row, agent, decider, terms } = going;
  const goAhead = "result" in going ? { result: going.result } : { decision: going.decision };
  let isReached = false;
  let paused: AppError | undefined;
  try {
    const kept = desk.vault.open("run", row);
    if (kept === undefined) throw new Error(`The approval ${row.id} holds no run.`);
    const request: RunRequest = {
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
          desk,
          { agent: agent.name, fingerprint: row.fingerprint },
          request,
          next.value,
        );
        await end(desk, row, undefined, approval);
        logWaiting(deps.log, approval, next.value.pending);
        paused = awaiting(approval, next.value.pending);
        throw paused;
      }
      const event = next.value;
      if (event.type === "done") await end(desk, row, { result: event.result });
      tell(event);
    }
  } catch (thrown) {
    if (thrown !== paused) await writeFailure(deps, desk, row, isReached, toAppError(thrown));
    throw thrown;
  }
}

async function end(
  { storage, vault, owner, clock }: ApprovalDesk,
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
  { log }: GoingDeps,
  desk: ApprovalDesk,
  row: ApprovalRow,
  isReached: boolean,
  { code, message, cause }: AppError,
): Promise<void> {
  try {
    if (isReached || code === "run_diverged") {
      await end(desk, row, { error: { code, message } });
    } else await releaseApproval(desk.storage, row.tenant, row.id, desk.owner);
  } catch (unwritten) {
    log.error("approval.unwritten", { approval_id: row.id, code, err: unwritten, cause });
  }
}
