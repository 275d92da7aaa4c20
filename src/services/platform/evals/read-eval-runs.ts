import { and, count, desc, eq, getTableColumns, lt } from "drizzle-orm";
import type {
  PlatformEvalResults,
  PlatformEvalRunDetail,
  PlatformEvalRunList,
} from "../../../contracts/platform/evals.ts";
import { pageOf, readIdCursor } from "../../../http/paging.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { TenantActor } from "../auth/credentials.ts";
import type { PlatformTables, StoreDeps } from "../tables.ts";
import type { EvalDeps } from "./deps.ts";
import { type BriefRow, presentEvalRun, presentEvalRunDetail } from "./present-eval-run.ts";
import { endEvalRun, readResults } from "./run-store.ts";

/** Runs of which evals, agents and versions. */
export interface EvalRunFilter {
  eval?: string;
  agent?: string;
  checksum?: string;
}

/** A tenant's runs, newest first. */
export async function listEvalRuns(
  { storage: { read, tables } }: StoreDeps,
  { tenantId }: TenantActor,
  { limit, cursor, ...of }: EvalRunFilter & { limit: number; cursor?: string },
): Promise<PlatformEvalRunList> {
  const { evalRuns } = tables;
  const before = readIdCursor(cursor);
  const rows = await read
    .select(brief(tables))
    .from(evalRuns)
    .where(
      and(
        eq(evalRuns.tenantId, tenantId),
        of.eval === undefined ? undefined : eq(evalRuns.evalName, of.eval),
        of.agent === undefined ? undefined : eq(evalRuns.agentName, of.agent),
        of.checksum === undefined ? undefined : eq(evalRuns.checksum, of.checksum),
        before === undefined ? undefined : lt(evalRuns.id, before),
      ),
    )
    .orderBy(desc(evalRuns.id))
    .limit(limit + 1);
  const { page, next } = pageOf(rows, limit, ({ id }) => id);
  return { runs: page.map(presentEvalRun), ...next };
}

/** Throws `eval_run_not_found`. */
export async function readEvalRun(
  deps: StoreDeps,
  tenant: TenantActor,
  id: string,
): Promise<PlatformEvalRunDetail> {
  return presentEvalRunDetail(await getEvalRun(deps, tenant, id));
}

/** Results in the order of the plan. `passed`: only these. */
export async function readEvalResults(
  deps: EvalDeps,
  tenant: TenantActor,
  id: string,
  { limit, offset, passed }: { limit: number; offset: number; passed: boolean | undefined },
): Promise<PlatformEvalResults> {
  const run = await getEvalRun(deps, tenant, id);
  const { evalResults } = deps.storage.tables;
  const [matching] = await deps.storage.read
    .select({ results: count() })
    .from(evalResults)
    .where(
      and(
        eq(evalResults.tenantId, tenant.tenantId),
        eq(evalResults.runId, id),
        passed === undefined ? undefined : eq(evalResults.passed, passed),
      ),
    );
  const results = await readResults(deps, run, { limit, offset, passed });
  return { results, total: matching?.results ?? 0 };
}

/** Ends a run; results so far stay. Throws `eval_run_ended` (409) if it has ended. */
export async function cancelEvalRun(
  deps: EvalDeps,
  tenant: TenantActor,
  id: string,
): Promise<PlatformEvalRunDetail> {
  const run = await getEvalRun(deps, tenant, id);
  const isEnded = await endEvalRun(deps.storage, run, { status: "cancelled" }, deps.clock.now());
  if (!isEnded) throw new AppError("conflict", "eval_run_ended", `The run ${id} has ended.`);
  deps.evalWork.cancel(id);
  return readEvalRun(deps, tenant, id);
}

async function getEvalRun(
  { storage: { read, tables } }: StoreDeps,
  { tenantId }: TenantActor,
  id: string,
): Promise<BriefRow> {
  const { evalRuns } = tables;
  const [row] = await read
    .select(brief(tables))
    .from(evalRuns)
    .where(and(eq(evalRuns.tenantId, tenantId), eq(evalRuns.id, id)));
  if (row !== undefined) return row;
  throw new AppError("not_found", "eval_run_not_found", "There is no such run of an eval.");
}

/** All columns but the document and the spec, which may have 1 MiB each. */
function brief({ evalRuns }: PlatformTables) {
  const { document: _, spec: __, ...columns } = getTableColumns(evalRuns);
  return columns;
}
