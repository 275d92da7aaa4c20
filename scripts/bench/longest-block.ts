/**
 * Measures the longest time that one bounded input blocks the main thread: the longest pause between two passes of the event loop during
 * its processing, in milliseconds of processor time. Every input is as large as the contract allows and as hostile as we know. A row above
 * the goal is marked; the exit status is then 1.
 *
 *   node_modules/.bin/bun scripts/bench/longest-block.ts [part of a row's name]
 */
import { longestBlockMs } from "../../tests/support/processor-time.ts";
import { deliveryRows } from "./blocks/deliveries.ts";
import { documentRows } from "./blocks/documents.ts";
import { evalRows } from "./blocks/evals.ts";
import { guardrailRows } from "./blocks/guardrails.ts";
import { schemaRows } from "./blocks/schemas.ts";
import { foreignRows, turnRows } from "./blocks/turns.ts";
import { readOptions } from "./options.ts";

const goalMs = 50;
const {
  args: [sought = ""],
} = readOptions({});

const blockOf = (work: () => unknown) =>
  longestBlockMs(async () => {
    try {
      await work();
    } catch {
      // The input is refused; the time for that counts.
    }
  });

const rows = [guardrailRows, documentRows, schemaRows, foreignRows, turnRows, deliveryRows, evalRows].flatMap(
  (make) => make(),
);
let above = 0;
console.log(`${"input".padEnd(70)} ${"size".padStart(14)} ${"block ms".padStart(9)}   goal ${goalMs} ms`);
for (const { input, size, work } of rows.filter((row) => row.input.includes(sought))) {
  // The first run of new code includes its compilation.
  const first = await blockOf(work);
  const block = first <= goalMs ? first : Math.min(first, await blockOf(work));
  if (block > goalMs) above++;
  console.log(
    `${input.padEnd(70)} ${size.padStart(14)} ${block.toFixed(1).padStart(9)}   ${block > goalMs ? "ABOVE" : ""}`,
  );
}
console.log(above === 0 ? "All rows meet the goal." : `${above} rows are above the goal.`);
process.exit(above === 0 ? 0 : 1);
