import { existsSync, readdirSync, readFileSync, rmdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { CaseResult, EvalRunEnd, EvalRunHead } from "../../../contracts/evals/eval-run.ts";
import type { FileRuns } from "../../../evals/files/file-runs.ts";
import { summarize } from "../../../evals/report/summarize.ts";
import { attemptKey } from "../../../evals/running/plan-attempts.ts";
import { countedResult } from "../../../evals/running/unchecked-result.ts";
import type { Logger } from "../../../kit/log.ts";

/** Names of the folders of runs. Earlier ones have no milliseconds. */
const idPattern = /^[0-9]{8}T[0-9]{6}([0-9]{3})?Z-[a-z0-9-]{1,63}-[0-9a-f]{6}$/;

/**
 * Moves runs that earlier releases stored as files, a folder each, into the database. Folders that can't be read stay, and are tried again at
 * the next start. Other files stay: where the workspace is the data folder too, the evals themselves are beside the runs.
 */
export async function addRunFiles(folder: string, runs: Pick<FileRuns, "add">, log: Logger): Promise<void> {
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder).filter((one) => idPattern.test(one))) {
    const path = join(folder, name);
    try {
      const run = readRun(path);
      // A crash before the head was written left an empty folder.
      if (run !== undefined) await runs.add(run.head, run.results, run.end);
      rmSync(path, { recursive: true });
    } catch (thrown) {
      log.warn("eval.run_unreadable", { path, err: thrown });
    }
  }
  if (readdirSync(folder).length === 0) rmdirSync(folder);
}

interface RunInFiles {
  head: EvalRunHead;
  results: CaseResult[];
  end: EvalRunEnd;
}

function readRun(path: string): RunInFiles | undefined {
  const headPath = join(path, "run.json");
  if (!existsSync(headPath)) return undefined;
  const head = JSON.parse(readFileSync(headPath, "utf8")) as EvalRunHead;
  const results = readResults(join(path, "results.jsonl"));
  const endPath = join(path, "end.json");
  if (existsSync(endPath)) return { head, results, end: JSON.parse(readFileSync(endPath, "utf8")) };
  const isWhole = results.length === head.targets.length * head.cases * head.repeat;
  const status = isWhole ? "complete" : "interrupted";
  const end = {
    status,
    ended_at: head.started_at,
    summary: summarize(head, results, status),
    simulated: results.some(({ simulated }) => simulated === true),
  } as const;
  return { head, results, end };
}

/** Each attempt once. A last line that a crash cut off is left out. */
function readResults(path: string): CaseResult[] {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, "utf8").split("\n").slice(0, -1);
  const results = new Map<string, CaseResult>();
  for (const line of lines) {
    const result = countedResult(JSON.parse(line) as CaseResult);
    if (!results.has(attemptKey(result))) results.set(attemptKey(result), result);
  }
  return [...results.values()];
}
