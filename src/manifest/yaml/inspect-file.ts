import type { Problem } from "../../kit/app-error.ts";
import { addFault, dotted, type Fault, faultsMax, type Position, pathOf, problemsOf } from "../fault.ts";
import { checkValue } from "../schema/check-value.ts";
import type { ManifestKind } from "../schema/manifest-kind.ts";
import { vetTree } from "../senders/vet-tree.ts";
import { valueAt } from "../value-at.ts";
import { inspectYaml } from "./read-yaml.ts";
import { type Salvaged, salvage } from "./salvage.ts";
import { refusingVariables, substituting, type Variables } from "./variables.ts";

/** All faults of a single file, and its manifest without the faulty parts. */
export interface InspectedFile<T> {
  problems: Problem[];
  /** Absent: too little is sound for further checks. */
  sound?: {
    manifest: T;
    /** True if `metadata.name` is the file's own. */
    isNamed: boolean;
    /** Returns a later problem with its place in the file, or undefined if it only follows from a part left out. */
    place: (problem: Problem) => Problem | undefined;
  };
}

export interface InspectOptions {
  /** Absent: the text was sent by a client and cannot read any. */
  variables: Variables | undefined;
  standIns?: Readonly<Record<string, unknown>>;
}

/**
 * Checks a file like `checkFile`, but continues after faults: after YAML faults with the schema, after schema faults with the rules, both
 * for the sound parts.
 */
export function inspectFile<T>(
  kind: ManifestKind<T>,
  text: string,
  { variables, standIns = {} }: InspectOptions,
): InspectedFile<T> {
  const { problems: yamlProblems, found } = inspectYaml(text);
  if (found === undefined) return { problems: yamlProblems };
  const { value, locate, soundUntil } = found;
  const faults = withoutRepeats(faultsOf(kind, value, variables), yamlProblems);
  if (soundUntil !== undefined) {
    // After a syntax fault, keys and levels may be misread, and missing parts may be there.
    const certain = faults.filter(
      ({ path, at }) => valueAt(value, path) !== undefined && isBefore(locate(path, at), soundUntil),
    );
    return { problems: inOrder([...yamlProblems, ...problemsOf(certain, locate)]) };
  }
  const salvaged = salvage(value, (part) => faultsOf(kind, part, variables), standIns);
  if (salvaged === undefined) return { problems: inOrder([...yamlProblems, ...problemsOf(faults, locate)]) };
  const vetted = vetTree(salvaged.value, readTextBy(variables));
  // The schema accepted it, and T is the schema's type.
  const manifest = checkValue(kind.schema, vetted.value).value as T;
  const further: Fault[] = [];
  kind.rules?.(manifest, (path, message) => {
    const original = salvaged.originalOf(path);
    if (original !== undefined) addFault(further, original, message);
  });
  const place = (problem: Problem): Problem | undefined => {
    const original = salvaged.originalOf(pathOf(problem.path));
    if (original === undefined) return undefined;
    return { ...problem, path: dotted(original), ...locate(original, "value") };
  };
  const problems = inOrder([...yamlProblems, ...problemsOf([...faults, ...further], locate)]);
  return { problems, sound: { manifest, isNamed: isNamed(salvaged), place } };
}

const isNamed = ({ originalOf }: Salvaged): boolean => originalOf(["metadata", "name"]) !== undefined;

/** Returns the faults of the texts and of the schema; a text that cannot be read is reported once. */
function faultsOf<T>(kind: ManifestKind<T>, value: unknown, variables: Variables | undefined): Fault[] {
  const vetted = vetTree(value, readTextBy(variables));
  const checked = checkValue(kind.schema, vetted.value, value);
  const blamed = new Set(vetted.faults.map(({ path }) => dotted(path)));
  const others = checked.faults.filter(({ path }) => !blamed.has(dotted(path)));
  return [...vetted.faults, ...others].slice(0, faultsMax);
}

const readTextBy = (variables: Variables | undefined) =>
  variables === undefined ? refusingVariables : substituting(variables);

const withoutRepeats = (faults: readonly Fault[], told: readonly Problem[]): Fault[] =>
  faults.filter(({ path }) => !told.some((problem) => problem.path === dotted(path)));

const isBefore = (one: Position, other: Position): boolean =>
  one.line < other.line || (one.line === other.line && one.column < other.column);

const inOrder = (problems: readonly Problem[]): Problem[] =>
  [...problems].sort(
    (one, other) => (one.line ?? 0) - (other.line ?? 0) || (one.column ?? 0) - (other.column ?? 0),
  );
