import { randomUUID } from "node:crypto";
import { renameSync, rmSync, writeFileSync } from "node:fs";
import type { EvalRun } from "../../contracts/evals/eval-run.ts";
import { AppError } from "../../kit/app-error.ts";
import { htmlReport } from "../report/html.ts";
import { junitReport } from "../report/junit.ts";

const reports = { junit: junitReport, html: htmlReport } as const;

/** Writes a report of runs, completely or not at all. */
export function writeEvalReport(format: keyof typeof reports, path: string, runs: readonly EvalRun[]): void {
  const unfinished = `${path}.${randomUUID()}.tmp`;
  try {
    writeFileSync(unfinished, reports[format](runs), { flag: "wx" });
    renameSync(unfinished, path);
  } catch (thrown) {
    rmSync(unfinished, { force: true });
    const code = String((thrown as { code?: unknown }).code);
    throw new AppError("unavailable", "file_unwritable", `${path} can't be written (${code}).`);
  }
}
