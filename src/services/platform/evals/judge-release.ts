import { and, asc, desc, eq, getTableColumns } from "drizzle-orm";
import type { JudgedRun } from "../../../evals/gate/judge-requirement.ts";
import { judgeRequirement, type Requirement } from "../../../evals/gate/judge-requirement.ts";
import { isSame, placeOf, together } from "../../../evals/gate/requirements.ts";
import type { Query } from "../../../storage/storage.ts";
import { storedManifest } from "../agents/read-spec.ts";
import type { GateVerdict, JudgeRelease, NewVersion } from "../agents/release-gate.ts";
import type { PlatformTables } from "../tables.ts";
import type { EvalRunRow } from "./schema.ts";

/**
 * Judges a version by the newest runs of the evals that it requires. It never asks a model. A version must also meet the requirements of the
 * one in service: leaving them out is no way round them.
 */
export const judgeRelease: JudgeRelease = async (
  tx,
  tables,
  { tenantId, name, checksum, requires: own, before },
) => {
  const earlier = (before && storedManifest(before.spec)?.spec.release?.requires) ?? [];
  const requires = together(own, earlier);
  const verdict: GateVerdict = { problems: [], runs: {} };
  // The same spec again changes nothing.
  if (before?.checksum === checksum && isSame(own, earlier)) return verdict;
  for (const required of requires) {
    const found = await judgeOne(tx, tables, required, { tenantId, name, checksum, before });
    const path = placeOf(own, required);
    verdict.problems.push(...found.reasons.map((message) => ({ path, message })));
    if (found.run !== undefined) verdict.runs[required.eval] = found.run;
  }
  return verdict;
};

type Sides = Pick<NewVersion, "tenantId" | "name" | "checksum" | "before">;

async function judgeOne(
  tx: Query,
  tables: PlatformTables,
  required: Requirement,
  { tenantId, name, checksum, before }: Sides,
): Promise<{ reasons: string[]; run?: string }> {
  const { evals } = tables;
  const eval_ = `eval ${required.eval}`;
  const [stored] = await tx
    .select({ content: evals.content })
    .from(evals)
    .where(and(eq(evals.tenantId, tenantId), eq(evals.name, required.eval)));
  if (stored === undefined)
    return { reasons: [`there is no ${eval_}; PUT /api/v1/evals/${required.eval} stores it`] };
  const side = { tenantId, agentName: name, evalName: required.eval };
  const run = await newestRun(tx, tables, { ...side, checksum, content: stored.content });
  if (run === undefined) {
    const how = `POST /api/v1/evals/${required.eval}/runs with this manifest as \`spec\``;
    return { reasons: [`${eval_} has not asked this version; ${how}`] };
  }
  if (run.endedAt === null) return { reasons: [`${eval_} is still asking this version in run ${run.id}`] };
  if (run.simulated)
    return { reasons: [`${eval_} was answered by a rehearsal's stand-in, not by the agent's model`] };
  if (run.status === "failed" && run.errorCode !== null)
    return { reasons: [`${eval_} could not be run: ${run.message ?? run.errorCode} (run ${run.id})`] };
  const served =
    before && (await newestRun(tx, tables, { ...side, checksum: before.checksum, status: "complete" }));
  const earlier = served && (await judgedRun(tx, tables, served));
  const reasons = judgeRequirement(required, await judgedRun(tx, tables, run), earlier);
  return { reasons: reasons.map((reason) => `${reason} (run ${run.id})`), run: run.id };
}

type RunRow = Omit<EvalRunRow, "spec" | "document">;

async function newestRun(
  tx: Query,
  { evalRuns }: PlatformTables,
  of: Pick<EvalRunRow, "tenantId" | "agentName" | "evalName" | "checksum"> &
    Partial<Pick<EvalRunRow, "content" | "status">>,
): Promise<RunRow | undefined> {
  const { spec: _, document: __, ...columns } = getTableColumns(evalRuns);
  const [row] = await tx
    .select(columns)
    .from(evalRuns)
    .where(
      and(
        eq(evalRuns.tenantId, of.tenantId),
        eq(evalRuns.agentName, of.agentName),
        eq(evalRuns.evalName, of.evalName),
        eq(evalRuns.checksum, of.checksum),
        of.content === undefined ? undefined : eq(evalRuns.content, of.content),
        of.status === undefined ? undefined : eq(evalRuns.status, of.status),
      ),
    )
    .orderBy(desc(evalRuns.id))
    .limit(1);
  return row;
}

async function judgedRun(tx: Query, { evalResults }: PlatformTables, run: RunRow): Promise<JudgedRun> {
  const { caseId, passed, failure, number } = evalResults;
  const rows = await tx
    .select({ case: caseId, passed, failure })
    .from(evalResults)
    .where(and(eq(evalResults.tenantId, run.tenantId), eq(evalResults.runId, run.id)))
    .orderBy(asc(number));
  return {
    summary: {
      ending: run.status === "complete" ? "complete" : "interrupted",
      finished_runs: run.finished,
      planned_runs: run.cases * run.repeat,
      targets: run.summary?.targets ?? [],
    },
    results: rows.map((row) => ({
      case: row.case,
      passed: row.passed,
      checks: row.failure === null ? [] : [{ kind: "run", passed: false, reason: row.failure }],
    })),
  };
}
