import { and, count, eq, isNull } from "drizzle-orm";
import { openEvalRunsMax } from "../../contracts/evals/hosted-evals.ts";
import { AppError } from "../../kit/app-error.ts";
import type { NewId } from "../../kit/id.ts";
import { retryWork } from "../../storage/begun-work.ts";
import type { EvalOwner, HostedEvalDeps } from "./deps.ts";
import { getEval } from "./eval-store.ts";
import type { EvalWork } from "./eval-work.ts";
import { storedEval } from "./read-eval.ts";
import { dropOldEvalRuns } from "./run-store.ts";
import type { EvalRunRow } from "./tables.ts";

/** Cases that run in parallel, unless the order says otherwise. */
const concurrencyDefaultMax = 4;

/** The version that a run asks. */
export interface AskedManifest<Subject extends object> {
  subject: Subject;
  spec: Record<string, unknown>;
  checksum: string;
}

interface Order {
  agent?: string;
  concurrency?: number;
  /** Null: no limit. */
  budget: number | null;
}

/**
 * Orders a run of an eval, which the worker then performs. `askedOf` finds the version of the agent that is asked. Throws `eval_not_found`,
 * and `eval_runs_busy` (409) if too many runs of the owner are open.
 */
export async function orderEvalRun<Subject extends object>(
  deps: Pick<HostedEvalDeps, "storage" | "clock"> & { newId: NewId; evalWork: EvalWork },
  { ownerId, author }: EvalOwner,
  name: string,
  { agent, concurrency, budget }: Order,
  askedOf: (agentName: string) => Promise<AskedManifest<Subject>>,
): Promise<EvalRunRow> {
  const { storage, clock, newId, evalWork } = deps;
  const { tables } = storage;
  const { evalRuns } = tables;
  const stored = await getEval(storage.read, tables, ownerId, name);
  const { spec, cases } = await storedEval(stored.document);
  const agentName = agent ?? stored.agentName;
  const subject = await askedOf(agentName);
  const row: EvalRunRow = {
    ownerId,
    id: newId(),
    evalName: name,
    content: stored.content,
    document: stored.document,
    agentName,
    subject: subject.subject,
    spec: subject.spec,
    checksum: subject.checksum,
    status: "queued",
    process: null,
    concurrency: concurrency ?? Math.min(spec.concurrency, concurrencyDefaultMax),
    budget,
    cases: cases.length,
    repeat: spec.repeat,
    finished: 0,
    passed: 0,
    spent: 0,
    bytes: 0,
    simulated: false,
    summary: null,
    errorCode: null,
    message: null,
    author,
    createdAt: clock.now(),
    endedAt: null,
  };
  await storage.transact(async (tx) => {
    const [open] = await tx
      .select({ runs: count() })
      .from(evalRuns)
      .where(and(eq(evalRuns.ownerId, ownerId), isNull(evalRuns.endedAt)));
    if ((open?.runs ?? 0) >= openEvalRunsMax) throw busy();
    await tx.insert(evalRuns).values(row);
    await dropOldEvalRuns(tx, tables, ownerId);
  });
  await retryWork(storage, { kind: "eval_run", key: `${ownerId}/*` });
  evalWork.wake();
  return row;
}

const busy = () =>
  new AppError("conflict", "eval_runs_busy", `At most ${openEvalRunsMax} runs of evals may wait or work.`, {
    details: { hint: "Wait until one has ended, or cancel one." },
  });
