import { readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * What a test changes or measures that all files of a process share: globals, variables of the environment, the working folder, the methods
 * of built-in classes, the time, the heap.
 */
const sharedThings =
  /\bspyOn\(|\bsetSystemTime\(|\bmock\.module\(|\bprocess\.(chdir\(|env[.[])|\bprocess\.env\)|Object\.assign\((globalThis|process\.env)|queriesBuiltBy|countObjects|bun:jsc|memoryUsage\(|Bun\.gc\(/;

/** Returns true if the test file needs a global of its own. */
export const needsOwnGlobal = (root: string, file: string): boolean =>
  sharedThings.test(readFileSync(join(root, file), "utf8"));
