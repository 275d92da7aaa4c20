/**
 * Checks the source against the import table and project rules that a linter does not cover: `bun scripts/check-imports.ts [repository]`.
 * Prints `file:line rule` and exits with 1 if one is broken.
 *
 * It reads tokens, not types. It cannot see a forbidden name behind an alias (`const { env } = process`), a query ended by `.get(…)` with
 * arguments, or the code of packages.
 */
import { resolve } from "node:path";
import { checkTree } from "./imports/check-tree.ts";
import { toleratedArrows } from "./imports/import-table.ts";

const root = resolve(process.argv[2] ?? `${import.meta.dir}/..`);
const { filesRead, faults } = checkTree(root, toleratedArrows);

for (const { path, line, rule } of faults) console.error(`${path}:${line} ${rule}`);
if (filesRead === 0) console.error(`No TypeScript file under ${root}/src: nothing was checked.`);
else if (faults.length === 0) console.log(`${filesRead} files keep to the import table`);
process.exitCode = filesRead > 0 && faults.length === 0 ? 0 : 1;
