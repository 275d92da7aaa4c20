/**
 * Kills the nodes of a mesh in turn, or pauses them, while callers run agents, read streams and write to a channel on all of them. Checks that
 *
 * - every acknowledged answer is given again by another node, without a new run,
 * - the charges are exactly the sum of the runs, and charges and holds together never exceed a cap,
 * - holds of runs whose node died are released,
 * - every accepted message is answered once, with the fallback message if its run died with a node,
 * - no stream repeats a token.
 *
 *   scripts/build && node_modules/.bin/bun scripts/bench/mesh-kills.ts [--kills 200] [--pauses] [--every 4]
 *
 * With `--pauses`, every second node is paused instead: 3 seconds, and every fifth time 12, longer than the lease of its runs. `--every`: seconds
 * from one fault to the next. Exits with 1 if a promise was broken. Needs PostgreSQL and redis-server.
 */
import { killMesh } from "../../tests/support/campaign/mesh-kills.ts";
import { readOptions } from "./options.ts";

const { kills, pauses, every } = readOptions({ kills: 200, pauses: false, every: 4 });
const startedAt = performance.now();
const { lines, faults } = await killMesh({
  kills,
  pauses,
  everyMs: every * 1000,
  onKill: (done) => {
    if (done % 20 === 0)
      console.error(`${done} kills, ${Math.round((performance.now() - startedAt) / 1000)} s`);
  },
});
for (const line of lines) console.info(line);
for (const fault of faults.slice(0, 20)) console.error(`FAULT ${fault}`);
process.exit(faults.length > 0 ? 1 : 0);
