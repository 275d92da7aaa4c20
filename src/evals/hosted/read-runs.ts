import { and, count, desc, eq, getTableColumns, lt } from "drizzle-orm";
import type { HostedEvalResults, HostedEvalRun } from "../../contracts/evals/hosted-evals.ts";
import { pageOf, readIdCursor } from "../../http/paging.ts";
import { AppError } from "../../kit/app-error.ts";
import type { EvalOwner, EvalRunDeps } from "./deps.ts";
import type { EvalWork } from "./eval-work.ts";
import { endEvalRun, readResults } from "./run-store.ts";
import type { BriefRun, EvalRunStorage, EvalRunTables } from "./tables.ts";

/** Runs of which evals, agents and versions. */
export interface EvalRunFilter {
  eval?: string;
  agent?: string;
  checksum?: string;
}

interface StoreDeps {
  storage: EvalRunStorage;
}
type Owner = Pick<EvalOwner, "ownerId">;

/** A page of an owner's runs, newest first. */
export async function listEvalRuns(
  deps: StoreDeps,
  owner: Owner,
  { limit, cursor, ...of }: EvalRunFilter & { limit: number; cursor?: string },
): Promise<{ page: BriefRun[]; next: { next_cursor: string } | undefined }> {
  const before = readIdCursor(cursor);
  const rows = await newestRuns(deps.storage, owner, { ...of, before, limit: limit + 1 });
  return pageOf(rows, limit, ({ id }) => id);
}

/** An owner's runs, newest first; `before` is the id of the run that the first one follows. */
export async function newestRuns<Subject extends object>(
  { read, tables }: EvalRunStorage<Subject>,
  { ownerId }: Owner,
  { before, limit, ...of }: EvalRunFilter & { before?: string | undefined; limit: number },
): Promise<BriefRun<Subject>[]> {
  const { evalRuns } = tables;
  return read
    .select(brief(tables))
    .from(evalRuns)
    .where(
      and(
        eq(evalRuns.ownerId, ownerId),
        of.eval === undefined ? undefined : eq(evalRuns.evalName, of.eval),
        of.agent === undefined ? undefined : eq(evalRuns.agentName, of.agent),
        of.checksum === undefined ? undefined : eq(evalRuns.checksum, of.checksum),
        before === undefined ? undefined : lt(evalRuns.id, before),
      ),
    )
    .orderBy(desc(evalRuns.id))
    .limit(limit);
}

/** Results in the order of the plan. `passed`: only these. Throws `eval_run_not_found`. */
export async function readEvalResults(
  deps: Pick<EvalRunDeps, "storage" | "sealer" | "service">,
  owner: Owner,
  id: string,
  { limit, offset, passed }: { limit: number; offset: number; passed?: "true" | "false" },
): Promise<HostedEvalResults> {
  const run = await getEvalRun(deps, owner, id);
  const wanted = passed === undefined ? undefined : passed === "true";
  const { evalResults } = deps.storage.tables;
  const [matching] = await deps.storage.read
    .select({ results: count() })
    .from(evalResults)
    .where(
      and(
        eq(evalResults.ownerId, owner.ownerId),
        eq(evalResults.runId, id),
        wanted === undefined ? undefined : eq(evalResults.passed, wanted),
      ),
    );
  const results = await readResults(deps, run, { limit, offset, passed: wanted });
  return { results, total: matching?.results ?? 0 };
}

/** Ends a run; results so far stay. Throws `eval_run_not_found`, and `eval_run_ended` (409) if it has ended. */
export async function cancelEvalRun(
  deps: Pick<EvalRunDeps, "storage" | "clock"> & { evalWork: EvalWork },
  owner: Owner,
  id: string,
): Promise<BriefRun> {
  const run = await getEvalRun(deps, owner, id);
  const isEnded = await endEvalRun(deps.storage, run, { status: "cancelled" }, deps.clock.now());
  if (!isEnded) throw new AppError("conflict", "eval_run_ended", `The run ${id} has ended.`);
  deps.evalWork.cancel(id);
  return getEvalRun(deps, owner, id);
}

/** Throws `eval_run_not_found`. */
export async function getEvalRun(
  { storage: { read, tables } }: StoreDeps,
  { ownerId }: Owner,
  id: string,
): Promise<BriefRun> {
  const { evalRuns } = tables;
  const [row] = await read
    .select(brief(tables))
    .from(evalRuns)
    .where(and(eq(evalRuns.ownerId, ownerId), eq(evalRuns.id, id)));
  if (row !== undefined) return row;
  throw new AppError("not_found", "eval_run_not_found", "There is no such run of an eval.");
}

/** The columns of a `BriefRun`. */
export function brief<Subject extends object>({ evalRuns }: EvalRunTables<Subject>) {
  const { document: _, spec: __, ...columns } = getTableColumns(evalRuns);
  return columns;
}

/** What the runs of all services show. */
export function presentHostedRun(row: BriefRun): HostedEvalRun {
  const [target] = row.summary?.targets ?? [];
  return {
    id: row.id,
    eval: row.evalName,
    content: row.content,
    agent: row.agentName,
    checksum: row.checksum,
    // Hosted runs are never interrupted: another process goes on with them.
    status: row.status as HostedEvalRun["status"],
    cases: row.cases,
    repeat: row.repeat,
    planned: row.cases * row.repeat,
    finished: row.finished,
    passed: row.passed,
    pass_rate: row.finished > 0 && target !== undefined ? target.pass_rate : null,
    ...(target !== undefined && { interval: target.interval }),
    simulated: row.simulated,
    ...(row.errorCode !== null && { error: { error: row.errorCode, message: row.message ?? "" } }),
    author: row.author,
    created_at: row.createdAt.toISOString(),
    ended_at: row.endedAt?.toISOString() ?? null,
  };
}
