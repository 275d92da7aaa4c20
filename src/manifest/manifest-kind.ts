import type { TSchema } from "@sinclair/typebox";
import type { Problem } from "../kit/app-error.ts";
import { checkValue } from "./check-value.ts";
import { addFault, type Fault, faultsMax, type Path, pathOf } from "./fault.ts";
import type { ManifestKindName } from "./kind-names.ts";
import { invalidManifest, problemsOf } from "./problems.ts";
import { fileLexemesMax, readYaml, sentLexemesMax } from "./read-yaml.ts";
import { refusingVariables, substituting, type Variables, variablesIn } from "./variables.ts";
import { type ReadText, vetTree } from "./vet-tree.ts";

/** Tells a rule's finding: the path of the fault and what is wrong there. */
export type Report = (path: Path, message: string) => void;

/** What a kind of document may say. */
export interface ManifestShape {
  id: ManifestKindName;
  schema: TSchema;
}

/** A kind of document: its schema says what each part may be, `rules` what the parts must be to each other. */
export interface ManifestKind<T> extends ManifestShape {
  rules?: (manifest: T, report: Report) => void;
}

/** Adds to a problem that was found later the place in the text that it is about. */
export type PlaceProblem = (problem: Problem) => Problem;

/** A document that may be used, or everything that is wrong with it. */
export type Checked<T> =
  | {
      manifest: T;
      /** The document as it was written, before anything was filled in. */
      document: unknown;
      place: PlaceProblem;
    }
  | { problems: Problem[] };

/** Checks a document that somebody sent, already parsed; it can't read variables. */
export function checkDocument<T>(kind: ManifestKind<T>, input: unknown): Checked<T> {
  if (hasMoreValues(input, sentValuesMax)) {
    return { problems: [{ path: "", message: `has more than ${sentValuesMax} values` }] };
  }
  const { manifest, faults } = check(kind, input, refusingVariables);
  return faults.length === 0
    ? { manifest, document: input, place: (problem) => problem }
    : { problems: problemsOf(faults) };
}

/**
 * Checks a YAML text, with the places of problems. Variables are put in for an operator's file; without `variables` the
 * text is one that somebody sent and can't read any.
 */
export function checkFile<T>(kind: ManifestKind<T>, text: string, variables?: Variables): Checked<T> {
  const reading = readYaml(text, variables === undefined ? sentLexemesMax : fileLexemesMax);
  if ("problem" in reading) return { problems: [reading.problem] };
  const readText = variables === undefined ? refusingVariables : substituting(variables);
  const { manifest, faults } = check(kind, reading.value, readText);
  if (faults.length > 0) return { problems: problemsOf(faults, reading.locate) };
  return {
    manifest,
    document: reading.value,
    place: (problem) => ({ ...problem, ...reading.locate(pathOf(problem.path), "value") }),
  };
}

/** Values of a document that somebody sent as JSON: what `sentLexemesMax` is for YAML, where commas and line ends count too. */
const sentValuesMax = 10_000;

/** Whether a JSON-like value consists of more than so many values; it is not looked through any further then. */
function hasMoreValues(root: unknown, most: number): boolean {
  const open: unknown[] = [root];
  let values = 1;
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (typeof value !== "object" || value === null) continue;
    const inner = Array.isArray(value) ? value : Object.values(value);
    values += inner.length;
    if (values > most) return true;
    for (const one of inner) if (typeof one === "object" && one !== null) open.push(one);
  }
  return false;
}

/** `checkDocument`, or AppError `invalid_manifest` with the problems. */
export function parseDocument<T>(kind: ManifestKind<T>, input: unknown): T {
  const checked = checkDocument(kind, input);
  if ("problems" in checked) throw invalidManifest(checked.problems);
  return checked.manifest;
}

/** `checkFile`, or AppError `invalid_manifest` that names file, line and column of the first problem. */
export function parseFile<T>(kind: ManifestKind<T>, text: string, file: string, variables: Variables): T {
  const checked = checkFile(kind, text, variables);
  if ("problems" in checked) throw invalidManifest(checked.problems, file);
  return checked.manifest;
}

/** The names of the variables a file reads, each once; empty for a file that can't be read. */
export function variablesOf(text: string): string[] {
  const reading = readYaml(text);
  if ("problem" in reading) return [];
  const names = new Set<string>();
  vetTree(reading.value, (piece) => {
    for (const name of variablesIn(piece)) names.add(name);
    return piece;
  });
  return [...names];
}

function check<T>(
  kind: ManifestKind<T>,
  input: unknown,
  readText: ReadText,
): { manifest: T; faults: Fault[] } {
  const vetted = vetTree(input, readText);
  const checked = checkValue(kind.schema, vetted.value, input);
  // What the schema accepted is a T: the schema is where T comes from.
  const manifest = checked.value as T;
  const faults = merged(vetted.faults, checked.faults);
  if (faults.length === 0) kind.rules?.(manifest, (path, message) => addFault(faults, path, message));
  return { manifest, faults };
}

/** A text that could not be read is blamed once, not again for what it became. */
function merged(first: readonly Fault[], then: readonly Fault[]): Fault[] {
  const blamed = new Set(first.map((fault) => JSON.stringify(fault.path)));
  const others = then.filter((fault) => !blamed.has(JSON.stringify(fault.path)));
  return [...first, ...others].slice(0, faultsMax);
}
