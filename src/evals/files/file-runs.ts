import { and, eq, inArray, isNotNull, isNull, or } from "drizzle-orm";
import type { CaseResult, EvalRunEnd, EvalRunHead } from "../../contracts/evals/eval-run.ts";
import { AppError } from "../../kit/app-error.ts";
import type { EvalRunDeps } from "../hosted/deps.ts";
import { type JudgedVersion, judgeRuns, type RequiredEval } from "../hosted/judge-versions.ts";
import { brief, newestRuns } from "../hosted/read-runs.ts";
import { keepResult, ofRun, readResults, resultRow } from "../hosted/run-store.ts";
import type { BriefRun, EvalRunStorage } from "../hosted/tables.ts";
import { ownTarget } from "../running/plan-attempts.ts";

/** A run of an eval in a file; its head is what the service must know about it. */
export type FileRun = BriefRun<EvalRunHead>;

export interface FileRunDeps extends EvalRunDeps {
  storage: EvalRunStorage<EvalRunHead>;
  /** Owner of the runs: the operator. */
  ownerId: string;
}

/** Stored runs of the evals in files. A process that is killed loses only the cases under way. */
export class FileRuns {
  readonly #deps: FileRunDeps;

  constructor(deps: FileRunDeps) {
    this.#deps = deps;
  }

  /** Returns an id that sorts by time, to the millisecond: a short eval may run several times within a second. */
  static newId(name: string, at: Date, random: () => number): string {
    const time = at.toISOString().replaceAll(/[-:.]/g, "");
    const tail = Math.floor(random() * 0x1000000)
      .toString(16)
      .padStart(6, "0");
    return `${time}-${name}-${tail}`;
  }

  /** Stores a new run, which this process performs. */
  async begin(head: EvalRunHead): Promise<void> {
    const { storage, process, life } = this.#deps;
    await life.ensure();
    const row = { ...rowOf(this.#deps.ownerId, head), status: "running" as const, process };
    await storage.transact((tx) => tx.insert(storage.tables.evalRuns).values(row));
  }

  /** Goes on with a run that has ended. Throws AppError `eval_run_open` if another process was first. */
  async reopen(head: EvalRunHead): Promise<void> {
    const { storage, process, life } = this.#deps;
    const { evalRuns } = storage.tables;
    await life.ensure();
    const reopened = await storage.transact((tx) =>
      tx
        .update(evalRuns)
        .set({ ...changedBy(head), status: "running", process, endedAt: null })
        .where(and(ofRun(storage.tables, this.#keyOf(head.id)), isNotNull(evalRuns.endedAt)))
        .returning({ id: evalRuns.id }),
    );
    if (reopened.length === 0) throw runOpen(head.id);
  }

  /** Stores a result. `number`: its place in the plan of the run, from 1. */
  async keep(id: string, number: number, result: CaseResult): Promise<void> {
    await keepResult(this.#deps, this.#keyOf(id), number, result, microsOf(result.cost_usd ?? 0));
  }

  /** Stores how a run ended, unless it has ended before. `by`: process that performs it, or that died. */
  async end(id: string, end: EvalRunEnd, by: string = this.#deps.process): Promise<void> {
    const { storage } = this.#deps;
    const { evalRuns } = storage.tables;
    await storage.transact((tx) =>
      tx
        .update(evalRuns)
        .set(endColumns(end))
        .where(
          and(ofRun(storage.tables, this.#keyOf(id)), eq(evalRuns.process, by), isNull(evalRuns.endedAt)),
        ),
    );
  }

  /** Returns runs, newest first, of one eval or of all; `before` is the id of the run that the first one follows. */
  newest(of: { eval?: string; before?: string; limit: number }): Promise<FileRun[]> {
    const { storage, ownerId } = this.#deps;
    return newestRuns(storage, { ownerId }, of);
  }

  /** Throws AppError `eval_run_not_found`. */
  async get(id: string): Promise<FileRun> {
    const { storage } = this.#deps;
    const [run] = await storage.read
      .select(brief(storage.tables))
      .from(storage.tables.evalRuns)
      .where(ofRun(storage.tables, this.#keyOf(id)));
    if (run !== undefined) return run;
    throw new AppError("not_found", "eval_run_not_found", `There is no eval run ${JSON.stringify(id)}.`, {
      details: { hint: "`argosy eval runs` lists the runs, newest first." },
    });
  }

  /** Returns the results of a run in the order of its plan. */
  results(id: string): Promise<{ number: number; result: CaseResult }[]> {
    return readResults(this.#deps, this.#keyOf(id));
  }

  /** Returns true for an open run that no process performs any more. `isHere`: this process performs it. */
  async isLeft({ id, endedAt }: FileRun, isHere: boolean): Promise<boolean> {
    const { storage, process, life } = this.#deps;
    if (endedAt !== null || isHere) return false;
    const { evalRuns } = storage.tables;
    const [left] = await storage.read
      .select({ id: evalRuns.id })
      .from(evalRuns)
      .where(
        and(
          ofRun(storage.tables, this.#keyOf(id)),
          or(eq(evalRuns.process, process), life.isGone(evalRuns.process)),
        ),
      );
    return left !== undefined;
  }

  /** Stores a run that has ended with its results, unless it is there already. */
  async add(head: EvalRunHead, results: readonly CaseResult[], end: EvalRunEnd): Promise<void> {
    const { storage, ownerId, process } = this.#deps;
    const { evalRuns, evalResults } = storage.tables;
    const key = this.#keyOf(head.id);
    const rows = results.map((result, index) => resultRow(this.#deps, key, index + 1, result));
    const run = {
      ...rowOf(ownerId, head),
      ...endColumns(end),
      process,
      finished: rows.length,
      passed: rows.filter(({ passed }) => passed).length,
      spent: microsOf(end.summary.spent_usd),
      bytes: rows.reduce((sum, { result }) => sum + result.length, 0),
    };
    await storage.transact(async (tx) => {
      const added = await tx
        .insert(evalRuns)
        .values(run)
        .onConflictDoNothing()
        .returning({ id: evalRuns.id });
      if (added.length === 0) return;
      for (let at = 0; at < rows.length; at += rowsAtOnce)
        await tx.insert(evalResults).values(rows.slice(at, at + rowsAtOnce));
    });
  }

  /** Returns the reasons of one required eval against a version of an agent. */
  async judge(version: Omit<JudgedVersion, "ownerId">, required: RequiredEval): Promise<string[]> {
    const { storage, ownerId } = this.#deps;
    return (await judgeRuns(storage.read, storage.tables, { ...version, ownerId }, required)).reasons;
  }

  /** Returns a text that changes when a run of one of these versions of agents begins, has a further result, ends or is resumed. */
  async stampOf(checksums: readonly string[]): Promise<string> {
    const { storage, ownerId } = this.#deps;
    const { evalRuns } = storage.tables;
    const runs = await storage.read
      .select({ id: evalRuns.id, finished: evalRuns.finished, endedAt: evalRuns.endedAt })
      .from(evalRuns)
      .where(and(eq(evalRuns.ownerId, ownerId), inArray(evalRuns.checksum, ["", ...checksums])))
      .orderBy(evalRuns.id);
    return runs.map(({ id, finished, endedAt }) => `${id} ${finished} ${endedAt?.getTime()}`).join();
  }

  #keyOf(id: string) {
    return { ownerId: this.#deps.ownerId, id };
  }
}

/** A run that nothing has been asked of. */
const rowOf = (ownerId: string, head: EvalRunHead) => ({
  ownerId,
  id: head.id,
  evalName: head.eval,
  document: null,
  agentName: head.agent,
  spec: null,
  checksum: head.agent_checksum,
  concurrency: head.choices?.concurrency ?? 1,
  cases: head.cases,
  repeat: head.repeat,
  finished: 0,
  passed: 0,
  spent: 0,
  bytes: 0,
  simulated: false,
  summary: null,
  errorCode: null,
  message: null,
  author: "owner",
  createdAt: new Date(head.started_at),
  endedAt: null,
  ...changedBy(head),
});

const endColumns = ({ status, ended_at: endedAt, summary, simulated, error }: EvalRunEnd) => ({
  ...{ status, summary, simulated, endedAt: new Date(endedAt) },
  errorCode: error?.error ?? null,
  message: error?.message ?? null,
});

/** Rows of one statement. */
const rowsAtOnce = 100;

/** What a resumed run may have anew. */
const changedBy = (head: EvalRunHead) => ({
  subject: head,
  content: countsForGate(head) ? (head.content ?? "") : "",
  budget: head.budget_usd === undefined ? null : microsOf(head.budget_usd),
});

/** Returns true for a run that a release gate may look up: live, of the agent as its manifest has it. */
const countsForGate = ({ mode, targets }: Pick<EvalRunHead, "mode" | "targets">): boolean =>
  mode === "live" && targets.join() === ownTarget;

const microsOf = (dollars: number) => Math.round(dollars * 1_000_000);

export const runOpen = (id: string) =>
  new AppError("conflict", "eval_run_open", `Another process is running ${id}.`, {
    details: { hint: "Wait until it has ended." },
  });
