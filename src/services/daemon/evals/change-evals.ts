import type {
  CasesChanged,
  NewCases,
  NewEval,
  NewTraceCase,
  TraceCaseAdded,
} from "../../../contracts/daemon/evals/evals.ts";
import { casesElsewhere, newEvalText, requireNewIds, withCases } from "../../../evals/dataset/add-case.ts";
import {
  withChangedLine,
  withLines,
  withoutCase,
  withReplacedCase,
} from "../../../evals/dataset/change-case.ts";
import { readCases } from "../../../evals/dataset/read-cases.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { CheckEntry } from "../../../manifest/eval/checks.ts";
import type { EvalCase } from "../../../manifest/eval/eval.ts";
import type { EvalFile, EvalFiles } from "./eval-files.ts";

/** Case that a trace makes. */
export interface TraceCase {
  agent: string;
  one: Partial<EvalCase> & { id: string; query: string; stubs: EvalCase["stubs"] };
}

/** Creates an eval with its first case. */
export function createEval(
  files: EvalFiles,
  { name, agent, description, case: one }: NewEval,
): Promise<EvalFile> {
  return files.create(name, newEvalText(name, agent, one, description));
}

/** Adds a case, or all cases of a CSV or JSONL text: all of them or none. */
export async function addCases(files: EvalFiles, name: string, body: NewCases): Promise<CasesChanged> {
  let added: readonly Partial<EvalCase>[] = [];
  const file = await files.change(name, undefined, (before) => {
    added = "case" in body ? [body.case as Partial<EvalCase>] : readSent(body, before.spec?.checks ?? []);
    return withAdded(before, added);
  });
  return changed(file, file.cases.slice(file.cases.length - added.length));
}

/** Replaces a case of the file in the state `etag`. */
export async function replaceCase(
  files: EvalFiles,
  name: string,
  id: string,
  one: object,
  etag: string,
): Promise<CasesChanged> {
  let at = 0;
  const file = await files.change(name, etag, (before) => {
    at = placeOf(before, id);
    // An id that the file does not give follows from the place, and is written only if it is another one.
    const sent = one as Partial<EvalCase>;
    const isNumbered = before.cases[at]?.case.id === undefined && sent.id === id;
    const { id: _, ...unnamed } = sent;
    return changeIn(
      before,
      (text) => withReplacedCase(text, before.file, at, isNumbered ? unnamed : sent),
      (text) => withChangedLine(text, before.file, at, isNumbered ? unnamed : sent),
    );
  });
  return changed(file, file.cases.slice(at, at + 1));
}

/** Deletes a case of the file in the state `etag`. */
export async function deleteCase(
  files: EvalFiles,
  name: string,
  id: string,
  etag: string,
): Promise<CasesChanged> {
  const file = await files.change(name, etag, (before) => {
    const at = placeOf(before, id);
    return changeIn(
      before,
      (text) => withoutCase(text, before.file, at),
      (text) => withChangedLine(text, before.file, at, undefined),
    );
  });
  return changed(file, []);
}

/** Adds the run of a trace as a case, to a new eval if there is none of that name. */
export async function addTraceCase(
  files: EvalFiles,
  { agent, one }: TraceCase,
  { eval: name, id, expected, tags, checks }: NewTraceCase,
): Promise<TraceCaseAdded> {
  const added: Partial<EvalCase> = {
    ...one,
    ...(id !== undefined && { id }),
    ...(expected !== undefined && { expected }),
    ...(tags !== undefined && { tags }),
    // The file's schema checks them.
    ...(checks !== undefined && { checks: checks as EvalCase["checks"] }),
  };
  const exists = (await files.list()).some((file) => file.name === name);
  const file = exists
    ? await files.change(name, undefined, (before) => withAdded(before, [added]))
    : await files.create(name, newEvalText(name, agent, added));
  return {
    eval: file.name,
    file: file.file,
    case: added.id ?? "",
    agent,
    created: !exists,
    stubs: one.stubs.length,
  };
}

function withAdded(before: EvalFile, added: readonly Partial<EvalCase>[]): string {
  return changeIn(
    before,
    (text) => withCases(text, before.file, added),
    (text) => {
      requireNewIds(
        before.cases.map(({ id }) => ({ id })),
        added,
        before.file,
      );
      return withLines(text, added);
    },
  );
}

/** Changes the text that has the cases: YAML in the eval's own file, or JSONL. */
function changeIn(
  { text = "", casesText = "", casesPath, file, spec }: EvalFile,
  inYaml: (text: string) => string,
  inLines: (text: string) => string,
): string {
  if (casesPath === undefined) return inYaml(text);
  if (casesPath.endsWith(".jsonl")) return inLines(casesText);
  throw casesElsewhere(file, String(spec?.cases));
}

function placeOf({ cases, name }: EvalFile, id: string): number {
  const at = cases.findIndex((one) => one.id === id);
  if (at !== -1) return at;
  throw new AppError("not_found", "case_not_found", `The eval ${name} has no case ${JSON.stringify(id)}.`);
}

function readSent(
  { format, text }: { format: "csv" | "jsonl"; text: string },
  shared: readonly CheckEntry[],
): EvalCase[] {
  const reading = readCases(text, format, shared);
  if ("cases" in reading) return reading.cases;
  const [first] = reading.faults;
  const more = reading.faults.length > 1 ? ` (and ${reading.faults.length - 1} more)` : "";
  throw new AppError(
    "unprocessable",
    "invalid_dataset",
    `Line ${first?.line}: ${first?.message}${more}. No case was added.`,
    {
      details: {
        problems: reading.faults.map(({ line, message }) => ({ path: "text", message, line, column: 1 })),
      },
    },
  );
}

const changed = ({ etag, file, cases }: EvalFile, touched: EvalFile["cases"]): CasesChanged => ({
  etag,
  file,
  ids: touched.map(({ id }) => id),
  cases: cases.length,
});
