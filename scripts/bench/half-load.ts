/**
 * Measures how long the executable's event loop is held up at half of the load it can bear: runs with a tool call on 16 connections, first as
 * fast as they are answered, then half as many a second. Meanwhile another connection asks `/healthz` every 5 ms, and a server without
 * load is asked in the same way, for what the machine itself adds.
 *
 *   scripts/build && node_modules/.bin/bun scripts/bench/half-load.ts [--secs 20]
 */
import { quantiles } from "./figures.ts";
import { load } from "./load.ts";
import { startDaemon } from "./measure.ts";
import { readOptions } from "./options.ts";
import { startModel } from "./servers.ts";
import { serverUrl } from "./workload.ts";

const { secs } = readOptions({ secs: 20 });
const everyMs = 5;

await using _ = await startModel();
await using _server = await startDaemon();
using idle = Bun.serve({ port: 0, fetch: () => new Response("ok") });

/** Asks an address every 5 ms until `ended`, and returns the times of the answers in ms. */
async function probe(url: string, ended: () => boolean): Promise<number[]> {
  const times: number[] = [];
  while (!ended()) {
    const askedAt = performance.now();
    await (await fetch(url)).arrayBuffer();
    times.push(performance.now() - askedAt);
    await Bun.sleep(everyMs);
  }
  return times;
}

async function during(name: string, work: Promise<unknown>): Promise<void> {
  let isOver = false;
  const ended = () => isOver;
  const probes = Promise.all([probe(`${serverUrl}/healthz`, ended), probe(idle.url.href, ended)]);
  await work;
  isOver = true;
  const cells = (await probes).map((times) => quantiles(times, [0.5, 0.99, 1]).join(" / ").padStart(20));
  console.log(`${name.padEnd(24)} ${cells.join("")}`);
}

await load("tool", 16, Math.min(10, secs), "warm");
const { runs, seconds } = await load("tool", 16, Math.min(5, secs), "full");
const half = Math.floor(runs / seconds / 2);
console.log("/healthz p50 / p99 / longest, ms       Argosy      server without load");
await during("no load", Bun.sleep(secs * 1000));
await during(`half load: ${half} runs/s`, load("tool", 16, secs, "half", half));
await during("full load", load("tool", 16, secs, "all"));
