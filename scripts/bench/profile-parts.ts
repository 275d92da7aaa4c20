/** A sampling profile in V8's format, as `bun --cpu-prof` writes it. */
export interface CpuProfile {
  nodes: { id: number; callFrame: { functionName: string; url: string }; children?: number[] }[];
  /** The node that ran at each sample. */
  samples: number[];
  /** Microseconds between a sample and the one before. */
  timeDeltas: number[];
}

/** Returns the part that a function belongs to; undefined if it works for whoever called it. */
export type PartOf = (file: string, functionName: string) => string | undefined;

/** Nothing was sampled while the thread waited, so a longer gap is a wait. */
const gapUsMax = 3_000;
const noPart = "Engine of JavaScript, and helpers without a caller";

/**
 * Returns each part's share of the samples of the last `lastMs` of a profile, the largest first. A function without a part of its own, such as
 * a native one, counts for the nearest caller that has one. Files are given from `root` on.
 */
export function sharesOfParts(
  { nodes, samples, timeDeltas }: CpuProfile,
  { root, partOf, lastMs }: { root: string; partOf: PartOf; lastMs: number },
): [part: string, share: number][] {
  const parts = new Map<number, string>();
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const name = (id: number, callers: string) => {
    const node = byId.get(id);
    if (node === undefined) return;
    const { url, functionName } = node.callFrame;
    const part = partOf(url.replace(/^file:\/\//, "").replace(`${root}/`, ""), functionName) ?? callers;
    parts.set(id, part);
    for (const child of node.children ?? []) name(child, part);
  };
  const called = new Set(nodes.flatMap(({ children = [] }) => children));
  for (const { id } of nodes) if (!called.has(id)) name(id, noPart);

  const spent = new Map<string, number>();
  let leftUs = lastMs * 1_000;
  for (let at = samples.length - 1; at >= 0 && leftUs > 0; at--) {
    const deltaUs = timeDeltas[at] ?? 0;
    leftUs -= deltaUs;
    const part = parts.get(samples[at] ?? -1) ?? noPart;
    spent.set(part, (spent.get(part) ?? 0) + Math.min(deltaUs, gapUsMax));
  }
  const whole = [...spent.values()].reduce((sum, us) => sum + us, 0);
  return [...spent]
    .map(([part, us]): [string, number] => [part, us / whole])
    .sort(([, one], [, other]) => other - one);
}

const models = "Models: requests sent, answers read";
const sqlite = "SQLite";
const guardrails = "Guardrails";
const door = "Door: host, body, route, answer";
const records = "Log, metrics, traces, usage";
const frame = "Run: frame, prompt, history, tools";

/** The parts of a run by where their code is. The first that fits counts; `src/kit` and packages work for their callers. */
const places: readonly [place: RegExp, part: string][] = [
  [/^(src\/storage|node_modules\/drizzle-orm|src\/services\/daemon\/memory\/stores)\/|^bun:sqlite/, sqlite],
  [/^src\/engine\/(run\/)?guardrails\//, guardrails],
  [/^src\/engine\/models\/|^src\/compose\/provider-fetch|^src\/kit\/fetch\//, models],
  [/^src\/http\/|^node_modules\/elysia\//, door],
  [
    /^src\/engine\/telemetry\/|^src\/kit\/(log|metrics|secrets)|^src\/services\/daemon\/(costs|metrics|run-stats|traces|operations)\//,
    records,
  ],
  [/^src\/(engine|services|manifest|contracts|compose)\//, frame],
];

export const partOfRun: PartOf = (file) => places.find(([place]) => place.test(file))?.[1];

/** Functions of the work by hand (`ceiling-full.ts`), where one file has all parts. */
const handwork: readonly [name: RegExp, part: string][] = [
  [/^redact$/, guardrails],
  [/^(callModel|readTokens)$/, models],
  [/^(persist|commit)$/, sqlite],
  [/^\/v1\//, door],
  [/^(answer|stream|begin|render|tellTime)$/, frame],
];

export const partOfHandwork: PartOf = (file, functionName) => {
  // `callModel` ends with its call of `fetch`, so the profile shows only that.
  if (file === "" && /^(fetch|json)$/.test(functionName)) return models;
  if (!file.startsWith("scripts/bench/")) return partOfRun(file, functionName);
  return handwork.find(([name]) => name.test(functionName))?.[1];
};
