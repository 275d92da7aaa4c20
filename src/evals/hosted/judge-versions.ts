import { and, asc, desc, eq } from "drizzle-orm";
import type { Problem } from "../../kit/app-error.ts";
import type { Query, ReadQuery } from "../../storage/storage.ts";
import { countedInDocument, countedRun, nothingCounts } from "../gate/counted-cases.ts";
import { type JudgedRun, judgeRequirement, type Requirement } from "../gate/judge-requirement.ts";
import { brief } from "./read-runs.ts";
import type { BriefRun, EvalRunTables, HostedEvalTables } from "./tables.ts";

/** A version that is about to go into service. */
export interface JudgedVersion {
  ownerId: string;
  agentName: string;
  checksum: string;
  /** Version in service, or the last one that was; undefined if there was none. */
  before: string | undefined;
}

/** What the gate of a version found. */
export interface GateVerdict {
  /** Reasons against it. */
  problems: Problem[];
  /** Runs that count, by eval. */
  runs: Record<string, string>;
}

/** A requirement, and what was found of it. */
export interface RequirementVerdict {
  required: Requirement;
  /** Empty if the version meets it. */
  reasons: string[];
  /** Run that counts. */
  run?: string;
}

/** Advice of a service, beginning with a verb or a method. */
export interface GateAdvice {
  store(evalName: string): string;
  run(evalName: string): string;
}

/** Judges a version by the newest runs of the evals that it requires. It never asks a model. */
export async function judgeVersion(
  query: Query | ReadQuery,
  tables: HostedEvalTables,
  version: JudgedVersion,
  requires: readonly Requirement[],
  advice: GateAdvice,
): Promise<RequirementVerdict[]> {
  const verdicts: RequirementVerdict[] = [];
  for (const required of requires)
    verdicts.push({ required, ...(await judgeOne(query, tables, required, version, advice)) });
  return verdicts;
}

async function judgeOne(
  query: Query | ReadQuery,
  tables: HostedEvalTables,
  required: Requirement,
  version: JudgedVersion,
  advice: GateAdvice,
): Promise<{ reasons: string[]; run?: string }> {
  const { evals } = tables;
  const { ownerId } = version;
  const [stored] = await query
    .select({ content: evals.content, document: evals.document })
    .from(evals)
    .where(and(eq(evals.ownerId, ownerId), eq(evals.name, required.eval)));
  if (stored === undefined)
    return { reasons: [`there is no eval ${required.eval}; ${advice.store(required.eval)}`] };
  const { content, document } = stored;
  const counted = countedInDocument(document);
  return judgeRuns(query, tables, version, { required, content, counted, run: advice.run(required.eval) });
}

/** An eval that a version must pass, as it is now. */
export interface RequiredEval {
  required: Requirement;
  /** SHA-256 of the content that a run must have asked. */
  content: string;
  /** Ids of the cases that count. */
  counted: ReadonlySet<string>;
  /** What makes a run, beginning with a command. */
  run: string;
  /** True if answers of a rehearsal count. */
  takesSimulated?: boolean;
}

/** Judges a version by the newest run of one eval. */
export async function judgeRuns(
  query: Query | ReadQuery,
  tables: EvalRunTables,
  { ownerId, agentName, checksum, before }: JudgedVersion,
  { required, content, counted, run: advice, takesSimulated = false }: RequiredEval,
): Promise<{ reasons: string[]; run?: string }> {
  const eval_ = `eval ${required.eval}`;
  if (counted.size === 0) return { reasons: [nothingCounts(required.eval)] };
  const side = { ownerId, agentName, evalName: required.eval };
  const run = await newestRun(query, tables, { ...side, checksum, content });
  if (run === undefined) return { reasons: [`${eval_} has not asked this version; ${advice}`] };
  const ofRun = { run: run.id };
  if (run.endedAt === null)
    return { ...ofRun, reasons: [`${eval_} is still asking this version in run ${run.id}`] };
  if (run.simulated && !takesSimulated)
    return {
      ...ofRun,
      reasons: [`${eval_} was answered by a rehearsal's stand-in, not by the agent's model (run ${run.id})`],
    };
  if (run.status === "failed" && run.errorCode !== null)
    return {
      ...ofRun,
      reasons: [`${eval_} could not be run: ${run.message ?? run.errorCode} (run ${run.id})`],
    };
  const served =
    before === undefined
      ? undefined
      : await newestRun(query, tables, { ...side, checksum: before, status: "complete" });
  const judged = async (one: BriefRun) => countedRun(await judgedRun(query, tables, one), counted);
  const earlier = served && (await judged(served));
  const reasons = judgeRequirement(required, await judged(run), earlier);
  return { ...ofRun, reasons: reasons.map((reason) => `${reason} (run ${run.id})`) };
}

async function newestRun(
  query: Query | ReadQuery,
  tables: EvalRunTables,
  of: Pick<BriefRun, "ownerId" | "agentName" | "evalName" | "checksum"> &
    Partial<Pick<BriefRun, "content" | "status">>,
): Promise<BriefRun | undefined> {
  const { evalRuns } = tables;
  const [row] = await query
    .select(brief(tables))
    .from(evalRuns)
    .where(
      and(
        eq(evalRuns.ownerId, of.ownerId),
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

async function judgedRun(
  query: Query | ReadQuery,
  { evalResults }: EvalRunTables,
  run: BriefRun,
): Promise<JudgedRun> {
  const { caseId, passed, failure, number } = evalResults;
  const rows = await query
    .select({ case: caseId, passed, failure })
    .from(evalResults)
    .where(and(eq(evalResults.ownerId, run.ownerId), eq(evalResults.runId, run.id)))
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
