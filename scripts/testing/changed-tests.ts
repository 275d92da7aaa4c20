import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type ImportReach, reaches } from "./import-reach.ts";
import { tierOf } from "./tiers.ts";

/** What every test depends on without importing it. */
const everywhere =
  /^(package(-lock)?\.json|bunfig\.toml|tsconfig\.json|tests\/support\/(child-environment|property-seed)\.ts)$/;

/** These start programs made of all code: importing them says nothing about what a test needs of it. */
const programs = new Set(["tests/support/executable.ts", "tests/support/program.ts"]);

/** Returns the test files of the first tier that reach a changed file, and the changed test files of others. */
export function changedTests(
  files: readonly string[],
  changed: readonly string[],
  reach: ImportReach,
): string[] {
  const first = files.filter((file) => tierOf(file) === "first");
  if (changed.some((file) => everywhere.test(file)))
    return [...new Set([...first, ...files.filter((file) => changed.includes(file))])];
  const isOpen = (file: string) => !programs.has(file);
  const reachesChange = (file: string) => {
    const reached = reach.from(file, isOpen);
    return changed.some((one) => reaches(reached, one));
  };
  return files.filter((file) => changed.includes(file) || (tierOf(file) === "first" && reachesChange(file)));
}

/** True if a test file starts the program that this source makes. */
export function startsProgram(file: string, reach: ImportReach): boolean {
  const reached = reach.from(file, (one) => one.startsWith("tests/"));
  return [...programs].some((program) => reached.has(program));
}

/** True if a test file talks to a Chroma server. */
export const usesChroma = (file: string, reach: ImportReach): boolean =>
  reach.from(file, (one) => one.startsWith("tests/")).has("tests/support/chroma-server.ts");

/** True if a test file draws values from the seed. */
export const drawsValues = (root: string, file: string): boolean =>
  /"fast-check"|drawn-numbers\.ts"/.test(readFileSync(join(root, file), "utf8"));
