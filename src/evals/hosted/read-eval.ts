import { evalCaseRunsMax, evalCasesMax } from "../../contracts/evals/hosted-evals.ts";
import type { ManifestBody } from "../../http/bodies/manifest-body.ts";
import { AppError, type Problem } from "../../kit/app-error.ts";
import { inPieces, othersTurn } from "../../kit/concurrency/others-turn.ts";
import type { CheckEntry } from "../../manifest/eval/checks.ts";
import { type EvalManifest, evalKind } from "../../manifest/eval/eval.ts";
import { refusedManifest } from "../../manifest/fault.ts";
import { checkDocument, checkSentText } from "../../manifest/schema/manifest-kind.ts";
import type { LoadedEval } from "../dataset/load-eval.ts";

/** A received eval that can run. */
export interface SentEval {
  /** The document as received, as JSON. */
  document: Record<string, unknown>;
  loaded: LoadedEval;
}

/** Throws `invalid_manifest` (400) with every problem, with line numbers if the body is YAML. */
export async function readSentEval(body: ManifestBody): Promise<SentEval> {
  const checked =
    body.format === "yaml"
      ? await inPieces(checkSentText(evalKind, body.text))
      : checkDocument(evalKind, body.value);
  if ("problems" in checked) throw refusedManifest(checked.problems);
  const refused = refusals(checked.manifest);
  if (refused.length > 0) throw refusedManifest(refused.map(checked.place));
  await othersTurn();
  const { loaded, problems } = await compile(checked.manifest);
  if (problems.length > 0) throw refusedManifest(problems.map(checked.place));
  return { document: JSON.parse(JSON.stringify(checked.document)), loaded };
}

/** Compiles a stored eval. Throws `eval_outdated` (409) if this release can no longer run it. */
export async function storedEval(document: Record<string, unknown>): Promise<LoadedEval> {
  const checked = checkDocument(evalKind, document);
  if (!("problems" in checked)) {
    const { loaded, problems } = await compile(checked.manifest);
    if (problems.length === 0) return loaded;
  }
  throw new AppError("conflict", "eval_outdated", "This release can't run the stored eval. Store it again.");
}

async function compile(manifest: EvalManifest): Promise<{ loaded: LoadedEval; problems: Problem[] }> {
  // Regular expressions and JSON Schemas are loaded by the first eval.
  const { compileCases } = await import("../dataset/compile-cases.ts");
  const { spec } = manifest;
  const { cases: written, embedder, judge } = spec;
  if (typeof written === "string") throw new TypeError("A hosted eval has its cases in its document.");
  const problems: Problem[] = [];
  const cases = await inPieces(compileCases(manifest, written, { embedder, judge }, problems));
  const { name } = manifest.metadata;
  return { loaded: { name, file: name, spec, written, cases, variants: [] }, problems };
}

/** Parts of an eval that can't be honoured where no files are read and no dollars are known. */
function refusals({ spec }: EvalManifest): Problem[] {
  const problems: Problem[] = [];
  const refuse = (path: string, message: string) => problems.push({ path, message });
  if (spec.models.length > 0) refuse("spec.models", "can't be honoured: a run asks one version of the agent");
  if (spec.variants.length > 0)
    refuse("spec.variants", "can't be honoured: send another version with the run instead");
  if (spec.budget_usd !== undefined)
    refuse("spec.budget_usd", "can't be honoured: give a budget with the run");
  if (typeof spec.cases === "string") {
    refuse("spec.cases", "names a file; write the cases into the document");
    return problems;
  }
  if (spec.cases.length > evalCasesMax) refuse("spec.cases", `has more than ${evalCasesMax} cases`);
  if (spec.cases.length * spec.repeat > evalCaseRunsMax)
    refuse("spec.repeat", `makes more than ${evalCaseRunsMax} runs of cases`);
  refuseChecks(spec.checks, "spec.checks", refuse);
  for (const [index, { checks, turns = [] }] of spec.cases.entries()) {
    refuseChecks(checks, `spec.cases[${index}].checks`, refuse);
    for (const [number, turn] of turns.entries())
      refuseChecks(turn.checks, `spec.cases[${index}].turns[${number}].checks`, refuse);
  }
  return problems.slice(0, problemsMax);
}

const problemsMax = 50;

/** Checks that would cost dollars, or call models besides the agent's. */
const refusedChecks = {
  judge: "can't be honoured in a hosted eval, which asks the agent's model alone; use `argosy eval`",
  similar: "can't be honoured in a hosted eval, which asks the agent's model alone; use `argosy eval`",
  max_cost_usd: "can't be honoured in a hosted eval: the price of its models is not known in dollars",
} as const satisfies Partial<Record<keyof CheckEntry, string>>;

function refuseChecks(
  entries: readonly CheckEntry[],
  at: string,
  refuse: (path: string, message: string) => void,
): void {
  for (const [index, entry] of entries.entries())
    for (const [kind, message] of Object.entries(refusedChecks))
      if (entry[kind as keyof CheckEntry] !== undefined) refuse(`${at}[${index}].${kind}`, message);
}
