/**
 * Runs the simulation of the mesh over many seeds: 64 nodes, calls lost, nodes paused, clocks that jump, a node that restarts, and a
 * partition that heals. Names each seed that misses a goal, and then exits with 1.
 *
 *   node_modules/.bin/bun scripts/bench/mesh-campaign.ts [--seeds 1000] [--from 1] [--loss 0.05] [--seconds 600]
 */
import { type MeshSeen, meshMisses, simulateMesh } from "../../tests/support/campaign/mesh-seed.ts";
import { quantile } from "./figures.ts";
import { readOptions } from "./options.ts";

const { seeds, from, loss, seconds, nodes } = readOptions({
  seeds: 1000,
  from: 1,
  loss: 0.05,
  seconds: 36_000,
  nodes: 64,
});

const endsAt = performance.now() + seconds * 1000;
const all: MeshSeen[] = [];
const missed: string[] = [];
for (let seed = from; seed < from + seeds && performance.now() < endsAt; seed++) {
  const seen = await simulateMesh({ seed, nodes, loss });
  all.push(seen);
  for (const [name, isMissed] of Object.entries(meshMisses)) {
    if (isMissed(seen)) missed.push(`seed ${seed}: ${name} ${JSON.stringify(seen)}`);
  }
}
const at = (of: (seen: MeshSeen) => number, share: number) =>
  quantile(
    all.map(of).toSorted((a, b) => a - b),
    share,
  );
const sum = (of: (seen: MeshSeen) => number) => all.reduce((total, seen) => total + of(seen), 0);
console.info(
  `${all.length} seeds from ${from}, ${nodes} nodes, ${loss * 100} % of the calls lost:`,
  `suspected everywhere after p50 ${at((seen) => seen.suspectedAfter, 0.5)} s, p99 ${at((seen) => seen.suspectedAfter, 0.99)} s, most ${at((seen) => seen.suspectedAfter, 1)} s;`,
  `dead everywhere after p99 ${at((seen) => seen.deadAfter, 0.99)} s, most ${at((seen) => seen.deadAfter, 1)} s;`,
  `false deaths ${sum((seen) => seen.falseDeaths)} in ${Math.round(sum((seen) => seen.nodeHours))} node-hours;`,
  `seconds with two leaders ${sum((seen) => seen.twoLeaders)};`,
  `healed after p50 ${at((seen) => seen.healedAfter, 0.5)} s, p99 ${at((seen) => seen.healedAfter, 0.99)} s, most ${at((seen) => seen.healedAfter, 1)} s, not healed ${all.filter(({ healedAfter }) => healedAfter < 0).length};`,
  `restarted node seen after p50 ${at((seen) => seen.restartedAfter, 0.5)} s, p99 ${at((seen) => seen.restartedAfter, 0.99)} s, most ${at((seen) => seen.restartedAfter, 1)} s`,
);
// The goal is for 5 % of the calls lost.
if (loss <= 0.05 && at((seen) => seen.suspectedAfter, 0.99) >= 8) {
  missed.push("suspected late: p99 is 8 s or more");
}
for (const line of missed) console.error(line);
process.exit(missed.length > 0 ? 1 : 0);
