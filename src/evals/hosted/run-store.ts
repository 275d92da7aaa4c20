import {
  and,
  asc,
  desc,
  eq,
  exists,
  gt,
  inArray,
  isNotNull,
  isNull,
  not,
  notInArray,
  or,
  sql,
} from "drizzle-orm";
import type { CaseResult, EvalSummary } from "../../contracts/evals/eval-run.ts";
import { keptEvalBytesMax, keptEvalRunsMax } from "../../contracts/evals/hosted-evals.ts";
import { AppError } from "../../kit/app-error.ts";
import type { WorkKey } from "../../storage/begun-work.ts";
import { openText, sealText } from "../../storage/sealed-text.ts";
import type { Query } from "../../storage/storage.ts";
import { countedResult } from "../running/unchecked-result.ts";
import type { EvalRunDeps } from "./deps.ts";
import type { EvalRunRow, EvalRunStorage, EvalRunTables } from "./tables.ts";

export type EvalRunKey = Pick<EvalRunRow, "ownerId" | "id">;

export const ofRun = ({ evalRuns }: EvalRunTables, { ownerId, id }: EvalRunKey) =>
  and(eq(evalRuns.ownerId, ownerId), eq(evalRuns.id, id));

const sealOf = (service: EvalRunDeps["service"], { ownerId, id }: EvalRunKey, number: number) => ({
  purpose: `${service} eval result`,
  tenant: ownerId,
  name: `${id} ${number}`,
});

/** A run as work that is taken up again. */
export const workOf = ({ ownerId, id }: EvalRunKey): WorkKey => ({
  kind: "eval_run",
  key: `${ownerId}/${id}`,
});

/** The oldest run of a tenant or org that nobody performs: it waits, or its process has died. */
export type DueRun = Pick<EvalRunRow, "ownerId" | "id" | "process">;

/**
 * Returns one run for each tenant or org that has one due, oldest first; but for those of the runs that this process performs. A run that was
 * interrupted waits for another such run, so that only one of them can be the cause of the next interruption.
 */
export async function dueEvalRuns(
  { storage, process, life }: Pick<EvalRunDeps, "storage" | "process" | "life">,
  here: readonly EvalRunKey[],
  isSuspectHere: boolean,
): Promise<DueRun[]> {
  const { read, tables } = storage;
  const { evalRuns, begunWork } = tables;
  const isSuspect = exists(
    read
      .select({ key: begunWork.key })
      .from(begunWork)
      .where(
        and(
          eq(begunWork.kind, "eval_run"),
          eq(begunWork.key, sql`${evalRuns.ownerId} || '/' || ${evalRuns.id}`),
          or(gt(begunWork.interruptions, 0), isNotNull(begunWork.owner)),
        ),
      ),
  );
  const isLeft = or(eq(evalRuns.process, process), life.isDead(evalRuns.process));
  const due = await read
    .select({ ownerId: evalRuns.ownerId, id: evalRuns.id, process: evalRuns.process })
    .from(evalRuns)
    .where(
      and(
        isNull(evalRuns.endedAt),
        or(isNull(evalRuns.process), isLeft),
        notInArray(evalRuns.ownerId, ["", ...here.map(({ ownerId }) => ownerId)]),
        isSuspectHere ? not(isSuspect) : undefined,
      ),
    )
    .orderBy(asc(evalRuns.id));
  const seen = new Set<string>();
  return due.filter(({ ownerId }) => !seen.has(ownerId) && seen.add(ownerId));
}

/** Takes a run that is due; undefined if another process was first, or it has ended. */
export async function claimEvalRun(
  { storage, process }: Pick<EvalRunDeps, "storage" | "process">,
  due: DueRun,
): Promise<EvalRunRow | undefined> {
  const { tables } = storage;
  const { evalRuns } = tables;
  const [claimed] = await storage.transact((tx) =>
    tx
      .update(evalRuns)
      .set({ status: "running", process })
      .where(
        and(
          ofRun(tables, due),
          isNull(evalRuns.endedAt),
          due.process === null ? isNull(evalRuns.process) : eq(evalRuns.process, due.process),
        ),
      )
      .returning(),
  );
  return claimed;
}

/** Stores a result and counts it. Throws `eval_run_cancelled` if the run has ended or another process performs it. */
export async function keepResult(
  { storage, sealer, process, service }: EvalRunDeps,
  run: EvalRunKey,
  number: number,
  result: CaseResult,
  spent: number,
): Promise<void> {
  const { evalRuns, evalResults } = storage.tables;
  const row = resultRow({ sealer, service }, run, number, result);
  await storage.transact(async (tx) => {
    const counted = await tx
      .update(evalRuns)
      .set({
        finished: sql`${evalRuns.finished} + 1`,
        passed: sql`${evalRuns.passed} + ${result.passed ? 1 : 0}`,
        spent: sql`${evalRuns.spent} + ${spent}`,
        bytes: sql`${evalRuns.bytes} + ${row.result.length}`,
        ...(result.simulated === true && { simulated: true }),
      })
      .where(and(ofRun(storage.tables, run), eq(evalRuns.process, process), isNull(evalRuns.endedAt)))
      .returning({ id: evalRuns.id });
    if (counted.length === 0) throw evalRunCancelled();
    await tx.insert(evalResults).values(row);
  });
}

/** A result as it is stored. */
export const resultRow = (
  { sealer, service }: Pick<EvalRunDeps, "sealer" | "service">,
  run: EvalRunKey,
  number: number,
  result: CaseResult,
) => ({
  ownerId: run.ownerId,
  runId: run.id,
  number,
  caseId: result.case,
  passed: result.passed,
  failure: result.checks.find(({ kind, passed }) => kind === "run" && !passed)?.reason ?? null,
  result: sealText(sealer, JSON.stringify(result), sealOf(service, run, number)),
});

/** Returns the stored results of a run in the order of its plan. */
export async function readResults(
  { storage: { read, tables }, sealer, service }: Pick<EvalRunDeps, "storage" | "sealer" | "service">,
  run: EvalRunKey,
  { limit, offset = 0, passed }: { limit?: number; offset?: number; passed?: boolean | undefined } = {},
): Promise<{ number: number; result: CaseResult }[]> {
  const { evalResults } = tables;
  const rows = read
    .select({ number: evalResults.number, result: evalResults.result })
    .from(evalResults)
    .where(
      and(
        eq(evalResults.ownerId, run.ownerId),
        eq(evalResults.runId, run.id),
        passed === undefined ? undefined : eq(evalResults.passed, passed),
      ),
    )
    .orderBy(asc(evalResults.number))
    .offset(offset);
  const page = limit === undefined ? await rows.limit(Number.MAX_SAFE_INTEGER) : await rows.limit(limit);
  return page.map(({ number, result }) => ({
    number,
    result: countedResult(JSON.parse(openText(sealer, result, sealOf(service, run, number)))),
  }));
}

/** Stores how a run ended, unless it has ended before. Its document and spec are deleted. */
export async function endEvalRun(
  storage: EvalRunStorage,
  run: EvalRunKey,
  end: Pick<EvalRunRow, "status"> & {
    summary?: EvalSummary | undefined;
    error?: Pick<AppError, "code" | "message"> | undefined;
  },
  now: Date,
): Promise<boolean> {
  const { evalRuns } = storage.tables;
  const ended = await storage.transact((tx) =>
    tx
      .update(evalRuns)
      .set({
        status: end.status,
        summary: end.summary ?? null,
        errorCode: end.error?.code ?? null,
        message: end.error?.message ?? null,
        document: null,
        spec: null,
        endedAt: now,
      })
      .where(and(ofRun(storage.tables, run), isNull(evalRuns.endedAt)))
      .returning({ id: evalRuns.id }),
  );
  return ended.length > 0;
}

/** Throws `eval_run_cancelled` if the run has ended or another process performs it. */
export async function requireOpen(
  { storage: { read, tables }, process }: Pick<EvalRunDeps, "storage" | "process">,
  run: EvalRunKey,
): Promise<void> {
  const { evalRuns } = tables;
  const [open] = await read
    .select({ id: evalRuns.id })
    .from(evalRuns)
    .where(and(ofRun(tables, run), eq(evalRuns.process, process), isNull(evalRuns.endedAt)));
  if (open === undefined) throw evalRunCancelled();
}

/** Deletes an owner's oldest ended runs beyond the limits of their number and their bytes, with their results. The newest one stays. */
export async function dropOldEvalRuns(
  tx: Query,
  { evalRuns, evalResults }: EvalRunTables,
  ownerId: string,
): Promise<void> {
  const ended = await tx
    .select({ id: evalRuns.id, bytes: evalRuns.bytes })
    .from(evalRuns)
    .where(and(eq(evalRuns.ownerId, ownerId), isNotNull(evalRuns.endedAt)))
    .orderBy(desc(evalRuns.id))
    .limit(2 * keptEvalRunsMax);
  let sum = 0;
  const ids = ended.flatMap(({ id, bytes }, index) => {
    sum += bytes;
    return index >= keptEvalRunsMax || (index > 0 && sum > keptEvalBytesMax) ? [id] : [];
  });
  if (ids.length === 0) return;
  await tx.delete(evalResults).where(and(eq(evalResults.ownerId, ownerId), inArray(evalResults.runId, ids)));
  await tx.delete(evalRuns).where(and(eq(evalRuns.ownerId, ownerId), inArray(evalRuns.id, ids)));
}

export const evalRunCancelled = () =>
  new AppError("conflict", "eval_run_cancelled", "The run was cancelled.");
