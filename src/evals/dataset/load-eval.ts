import { dirname, resolve } from "node:path";
import { AppError, type Problem } from "../../kit/app-error.ts";
import { inPieces } from "../../kit/concurrency/others-turn.ts";
import { type EvalCase, type EvalManifest, evalKind } from "../../manifest/eval/eval.ts";
import { invalidManifest } from "../../manifest/fault.ts";
import { checkFile, type PlaceProblem } from "../../manifest/schema/manifest-kind.ts";
import type { CheckDefaults } from "../checks/check.ts";
import { compileCases, type LoadedCase } from "./compile-cases.ts";
import { readCases } from "./read-cases.ts";

/** A prompt that replaces the agent's own. */
export interface LoadedVariant {
  name: string;
  prompt: string;
}

/** An eval with everything that its file names. */
export interface LoadedEval {
  name: string;
  /** Path of the file, as the user named it. */
  file: string;
  spec: EvalManifest["spec"];
  /** The cases as written, for the checksum of the eval. */
  written: readonly EvalCase[];
  cases: readonly LoadedCase[];
  variants: readonly LoadedVariant[];
}

/** Values that a command gives in place of the file's. */
export interface EvalOverrides {
  judgeModel?: string | undefined;
  /** Variants in place of the file's. */
  variants?: readonly LoadedVariant[] | undefined;
}

/** Reads a text file; throws AppError if it can't be read. */
export type ReadTextFile = (path: string) => Promise<string>;

/** Largest part of the faults of a dataset that one error lists. */
const shownMax = 20;

/** Loads an eval. Throws AppError `invalid_manifest` or `invalid_dataset` with file, line and column. */
export async function loadEval(
  path: string,
  file: string,
  readText: ReadTextFile,
  { judgeModel, variants }: EvalOverrides = {},
): Promise<LoadedEval> {
  const text = await readText(path);
  // Questions may mention variables, which are not substituted.
  const checked = checkFile(evalKind, text, (name) => `\${${name}}`);
  if ("problems" in checked) throw invalidManifest(checked.problems, file);
  const { manifest, place } = checked;
  const { spec } = manifest;
  const fileNear = (name: string) => readText(resolve(dirname(path), name));
  const written = typeof spec.cases === "string" ? await readDataset(spec, spec.cases, fileNear) : spec.cases;
  const defaults: CheckDefaults = {
    embedder: spec.embedder,
    judge: { votes: spec.judge.votes, model: judgeModel ?? spec.judge.model },
  };
  const problems: Problem[] = [];
  const cases = await inPieces(compileCases(manifest, written, defaults, problems));
  if (problems.length > 0) throw invalidManifest(problems.map(placedIn(spec.cases, place)), file);
  const loadedVariants =
    variants ??
    (await Promise.all(
      spec.variants.map(async ({ name, prompt }) => ({ name, prompt: await fileNear(prompt) })),
    ));
  return { name: manifest.metadata.name, file, spec, written, cases, variants: loadedVariants };
}

/** Format of a dataset, by its name. */
export const formatOf = (name: string): "csv" | "jsonl" => (name.endsWith(".csv") ? "csv" : "jsonl");

/** Places of problems: in the file, or for cases of a dataset, by their number in it. */
function placedIn(cases: EvalManifest["spec"]["cases"], place: PlaceProblem): (problem: Problem) => Problem {
  if (typeof cases !== "string") return place;
  return (problem) =>
    problem.path.startsWith("spec.cases[")
      ? { ...problem, path: problem.path.replace("spec.cases", cases) }
      : place(problem);
}

async function readDataset(
  { checks }: EvalManifest["spec"],
  name: string,
  read: ReadTextFile,
): Promise<EvalCase[]> {
  const reading = readCases(await read(name), formatOf(name), checks);
  if ("cases" in reading) return reading.cases;
  const [first] = reading.faults;
  const more = reading.faults.length > 1 ? ` (and ${reading.faults.length - 1} more)` : "";
  throw new AppError("unprocessable", "invalid_dataset", `${name}:${first?.line}: ${first?.message}${more}`, {
    details: {
      problems: reading.faults
        .slice(0, shownMax)
        .map(({ line, message }) => ({ path: name, message, line, column: 1 })),
    },
  });
}
