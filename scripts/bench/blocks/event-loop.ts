import { profile } from "bun:jsc";
import { readFileSync } from "node:fs";
import { threadProcessorMs } from "../../../tests/support/processor-time.ts";

/** A pause between two passes of the event loop. */
export interface Block {
  /** Processor time of the main thread, which does not depend on the machine's other load. */
  ms: number;
  /** Seconds since the process started. */
  from: number;
  to: number;
}

const seconds = () => Number(process.hrtime.bigint()) / 1e9;

/** Does the work and returns the longest block during it. */
export async function longestBlock(work: () => unknown): Promise<Block> {
  let longest: Block = { ms: 0, from: 0, to: 0 };
  let isOver = false;
  let last = threadProcessorMs();
  let lastAt = seconds();
  const pass = () => {
    const now = threadProcessorMs();
    const at = seconds();
    if (now - last > longest.ms) longest = { ms: now - last, from: lastAt, to: at };
    last = now;
    lastAt = at;
    if (!isOver) setImmediate(pass);
  };
  setImmediate(pass);
  await new Promise((resolve) => setImmediate(resolve));
  await work();
  await new Promise((resolve) => setImmediate(resolve));
  isOver = true;
  await new Promise((resolve) => setImmediate(resolve));
  return longest;
}

interface Frame {
  name: string;
  sourceURL?: string;
  line: number;
}

const shownFrames = 16;

/** Does the work, and returns the places of our code in which its longest block passed, with their shares of the samples. */
export async function stacksOfBlock(work: () => unknown): Promise<string[]> {
  let block: Block | undefined;
  // Samples have the time since the machine started, which is known to 10 ms.
  const startedAt = Number(readFileSync("/proc/uptime", "utf8").split(" ")[0]) - seconds();
  const sampled = await profile(async () => {
    block = await longestBlock(work);
  }, 500 as never);
  const { traces } = sampled.stackTraces as unknown as { traces: { timestamp: number; frames: Frame[] }[] };
  const inside = traces.filter(({ timestamp }) => {
    const at = timestamp - startedAt;
    return block !== undefined && at >= block.from && at <= block.to;
  });
  const counts = new Map<string, number>();
  for (const { frames } of inside) {
    for (const place of new Set(frames.map(placeOf))) counts.set(place, (counts.get(place) ?? 0) + 1);
  }
  return [...counts]
    .sort(([, a], [, b]) => b - a)
    .slice(0, shownFrames)
    .map(([place, count]) => `${((100 * count) / inside.length).toFixed(0).padStart(4)} % ${place}`);
}

const placeOf = ({ name, sourceURL = "", line }: Frame) =>
  `${name || "(anonymous)"} ${sourceURL.replace(/^.*?\/((?:src|node_modules)\/)/, "$1")}${line < 1e9 ? `:${line}` : ""}`;
