/**
 * Runs an agent with a tool, memory, guardrails and traces many times, and prints how the executable's memory changes:
 *
 *   scripts/build && node_modules/.bin/bun scripts/bench/memory-growth.ts [--runs 100000] [--warm 100000] [--rest 15]
 *
 * Growth is measured between two rests (seconds), after the warm-up and after the runs: memory under load shows how fast garbage is created,
 * not what stays. The warm-up is long because two caches fill first: the ends of recent conversations (8 Mi characters) and the latest 50,000
 * model calls.
 */
import { load } from "./load.ts";
import { startDaemon } from "./measure.ts";
import { readOptions } from "./options.ts";
import { rssMib } from "./process-stats.ts";
import { startModel } from "./servers.ts";

const { runs, warm, rest } = readOptions({ runs: 100_000, warm: 100_000, rest: 15 });

await using _ = await startModel();
await using server = await startDaemon();

/** Sends this many runs, rests, and returns the resident memory. */
async function restAfter(wanted: number, tag: string): Promise<number> {
  let done = 0;
  for (let part = 0; done < wanted; part++) done += (await load("tool", 16, 3, `${tag}${part}`)).runs;
  await Bun.sleep(rest * 1000);
  const mib = rssMib(server.pid);
  console.log(`after ${done} runs at rest: ${mib.toFixed(1)} MiB`);
  return mib;
}

const before = await restAfter(warm, "warm");
console.log(`grown by ${((await restAfter(runs, "many")) - before).toFixed(1)} MiB`);
