import type { TSchema } from "@sinclair/typebox";
import type { Problem } from "../../kit/app-error.ts";
import { countSteps, type Work } from "../../kit/concurrency/others-turn.ts";
import { addFault, type Fault, faultsMax, invalidManifest, type Path, pathOf, problemsOf } from "../fault.ts";
import { type ConvertText, vetTree } from "../senders/vet-tree.ts";
import {
  fileLexemesMax,
  readSentYaml,
  readYaml,
  sentLexemesMax,
  type YamlReading,
} from "../yaml/read-yaml.ts";
import { refusingVariables, substituting, type Variables, variablesIn } from "../yaml/variables.ts";
import { checkValue } from "./check-value.ts";
import type { ManifestKindName } from "./kind-names.ts";

/** Reports a rule's fault: its path and its message. */
export type ManifestReport = (path: Path, message: string) => void;

/** The schema of a kind of document. */
export interface ManifestShape {
  id: ManifestKindName;
  schema: TSchema;
}

/** A kind of document: its schema for the parts, and `rules` for the relations between them. */
export interface ManifestKind<T> extends ManifestShape {
  rules?: (manifest: T, report: ManifestReport) => void;
}

/** Adds its place in the text to a problem that was found later. */
export type PlaceProblem = (problem: Problem) => Problem;

/** A valid document, or all its problems. */
export type Checked<T> =
  | {
      manifest: T;
      /** The document as written, before defaults and variables were filled in. */
      document: unknown;
      place: PlaceProblem;
    }
  | { problems: Problem[] };

/** Checks a parsed document from a client; it cannot read variables. */
export function checkDocument<T>(kind: ManifestKind<T>, input: unknown): Checked<T> {
  if (hasMoreValues(input, sentValuesMax)) {
    return { problems: [{ path: "", message: `has more than ${sentValuesMax} values` }] };
  }
  const { manifest, faults } = check(kind, input, refusingVariables);
  return faults.length === 0
    ? { manifest, document: input, place: (problem) => problem }
    : { problems: problemsOf(faults) };
}

/** `checkDocument` as one piece of work among others. */
export function* checkSentDocument<T>(kind: ManifestKind<T>, input: unknown): Work<Checked<T>> {
  if (countSteps(0)) yield;
  const checked = checkDocument(kind, input);
  countSteps(stepsOfChecking);
  return checked;
}

/**
 * Checks a YAML text and adds the places of problems. For an operator's file, variables are substituted. Without `variables`, the text is
 * from a client and cannot read any.
 */
export function checkFile<T>(kind: ManifestKind<T>, text: string, variables?: Variables): Checked<T> {
  const reading = readYaml(text, variables === undefined ? sentLexemesMax : fileLexemesMax);
  return checkFileReading(kind, reading, variables);
}

/** The second half of `checkFile`. */
export function checkFileReading<T>(
  kind: ManifestKind<T>,
  reading: YamlReading,
  variables?: Variables,
): Checked<T> {
  return checkReading(kind, reading, variables === undefined ? refusingVariables : substituting(variables));
}

/** `checkFile` as work in pieces, for a text from a client: reading is one or several, and checking is another. */
export function* checkSentText<T>(kind: ManifestKind<T>, text: string): Work<Checked<T>> {
  return yield* checkSentReading(kind, yield* readSentYaml(text));
}

/** The second half of `checkSentText`, for a text whose kind its content decides. */
export function* checkSentReading<T>(kind: ManifestKind<T>, reading: YamlReading): Work<Checked<T>> {
  if (countSteps(0)) yield;
  const checked = checkReading(kind, reading, refusingVariables);
  countSteps(stepsOfChecking);
  return checked;
}

/** Checking takes up to 10 ms. */
const stepsOfChecking = 500_000;

function checkReading<T>(kind: ManifestKind<T>, reading: YamlReading, readText: ConvertText): Checked<T> {
  if ("problem" in reading) return { problems: [reading.problem] };
  const { manifest, faults } = check(kind, reading.value, readText);
  if (faults.length > 0) return { problems: problemsOf(faults, reading.locate) };
  return {
    manifest,
    document: reading.value,
    place: (problem) => ({ ...problem, ...reading.locate(pathOf(problem.path), "value") }),
  };
}

/**
 * Limit for the values of a JSON document from a client. It corresponds to `sentLexemesMax` for YAML, which also counts commas and line
 * ends.
 */
const sentValuesMax = 10_000;

/** Returns true if a JSON-like value has more than `most` values; stops at the limit. */
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

/** Returns the result of `checkDocument`, or throws AppError `invalid_manifest` with the problems. */
export function parseDocument<T>(kind: ManifestKind<T>, input: unknown): T {
  const checked = checkDocument(kind, input);
  if ("problems" in checked) throw invalidManifest(checked.problems);
  return checked.manifest;
}

/** Returns the result of `checkFile`, or throws AppError `invalid_manifest` that names file, line and column of the first problem. */
export function parseFile<T>(kind: ManifestKind<T>, text: string, file: string, variables: Variables): T {
  const checked = checkFile(kind, text, variables);
  if ("problems" in checked) throw invalidManifest(checked.problems, file);
  return checked.manifest;
}

/** Returns the names of the variables that a file reads, each once; empty for a file that cannot be read. */
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
  readText: ConvertText,
): { manifest: T; faults: Fault[] } {
  const vetted = vetTree(input, readText);
  const checked = checkValue(kind.schema, vetted.value, input);
  // The schema accepted it, and T is the schema's type.
  const manifest = checked.value as T;
  const faults = merged(vetted.faults, checked.faults);
  if (faults.length === 0) kind.rules?.(manifest, (path, message) => addFault(faults, path, message));
  return { manifest, faults };
}

/** Merges faults; a text that could not be read is reported only once. */
function merged(first: readonly Fault[], then: readonly Fault[]): Fault[] {
  const blamed = new Set(first.map((fault) => JSON.stringify(fault.path)));
  const others = then.filter((fault) => !blamed.has(JSON.stringify(fault.path)));
  return [...first, ...others].slice(0, faultsMax);
}
