import { median } from "./figures.ts";
import type { Row } from "./measure.ts";

interface Goal {
  words: string;
  met: (subject: number, ceiling: number) => number;
  most: number;
}

interface Line {
  name: string;
  of: (row: Row) => number | undefined;
  digits: number;
  /** The subject's goal, relative to the ceiling of the same round. */
  goal?: Goal;
  /** The subject's goal, relative to the same work by hand (`full`). */
  fullGoal?: Goal;
}

const times = (most: number, what = "ceiling") => ({
  words: `≤ ${most}× ${what}`,
  met: (subject: number, ceiling: number) => subject / ceiling,
  most,
});
const atMost = (most: number, unit: string) => ({
  words: `≤ ${most} ${unit}`,
  met: (subject: number) => subject,
  most,
});

const lines: readonly Line[] = [
  { name: "W1 runs/s, no tool, 16 connections", of: (row) => row.W1?.runsPerSecond, digits: 0 },
  {
    name: "W1 server CPU, ms/run",
    of: (row) => row.W1?.cpuMsPerRun,
    digits: 3,
    goal: times(5),
    fullGoal: times(2, "by hand"),
  },
  { name: "W2 runs/s, one tool call, 16 connections", of: (row) => row.W2?.runsPerSecond, digits: 0 },
  { name: "W2 p50, ms", of: (row) => row.W2?.p50Ms, digits: 2 },
  {
    name: "W2 server CPU, ms/run",
    of: (row) => row.W2?.cpuMsPerRun,
    digits: 3,
    goal: times(5),
    fullGoal: times(2, "by hand"),
  },
  { name: "W3 first token over SSE, ms", of: (row) => row.W3sse?.firstTokenMs, digits: 2 },
  { name: "W3 tokens/s over SSE, 16 streams", of: (row) => row.W3sse?.tokensPerSecond, digits: 0 },
  {
    name: "W3 server CPU over SSE, µs/token",
    of: (row) => row.W3sse?.cpuUsPerToken,
    digits: 2,
    goal: times(3),
  },
  { name: "W3 tokens/s over WebSocket, 16 streams", of: (row) => row.W3ws?.tokensPerSecond, digits: 0 },
  { name: "W3 server CPU over WebSocket, µs/token", of: (row) => row.W3ws?.cpuUsPerToken, digits: 2 },
  {
    name: "W3paced server CPU, 64 streams of 100 tokens/s, µs/token",
    of: (row) => row.W3paced?.cpuUsPerToken,
    digits: 1,
    goal: times(1.6),
  },
  {
    name: "W4 p50, model of 20 ms, 64 connections, ms",
    of: (row) => row.W4?.p50Ms,
    digits: 1,
    goal: { words: "≤ 2 ms over ceiling", met: (subject, ceiling) => subject - ceiling, most: 2 },
  },
  { name: "W4 p99, ms", of: (row) => row.W4?.p99Ms, digits: 1 },
  {
    name: "W6 server CPU, 200 streams of 50 tokens/s, no output guardrail, µs/token",
    of: (row) => row.W6?.cpuUsPerToken,
    digits: 1,
  },
  { name: "W6 delay of a token beyond 20 ms, p99, ms", of: (row) => row.W6?.lateP99Ms, digits: 1 },
  {
    name: "W6 the same with redact, µs/token",
    of: (row) => row.W6guarded?.cpuUsPerToken,
    digits: 1,
  },
  { name: "W6 delay with redact, p99, ms", of: (row) => row.W6guarded?.lateP99Ms, digits: 1 },
  {
    name: "W5 cold start, data folder warm, ms",
    of: (row) => row.W5?.coldStartMs,
    digits: 0,
    goal: atMost(110, "ms"),
  },
  { name: "W5 idle RSS, MiB", of: (row) => row.W5?.idleMib, digits: 0, goal: atMost(80, "MiB") },
  { name: "W5 RSS after load, MiB", of: (row) => row.W5?.loadedMib, digits: 0 },
];

/**
 * Returns a Markdown table of medians over the rounds, one column per system. Ratios and goals compare `subject` with `ceiling` in each
 * round and use the median: machines vary more between rounds than within one.
 */
export function report(rows: readonly Row[], ceiling: string, subject: string): string {
  const systems = [...new Set(rows.map(({ system }) => system))];
  const rounds = [...new Set(rows.map(({ round }) => round))];
  const value = (system: string, round: number, { of }: Line) => {
    const row = rows.find((one) => one.system === system && one.round === round);
    return row ? of(row) : undefined;
  };
  const overRounds = (line: Line, figure: (subject: number, ceiling: number) => number) =>
    median(
      rounds.map((round) =>
        figure(value(subject, round, line) ?? Number.NaN, value(ceiling, round, line) ?? Number.NaN),
      ),
    );
  const cells = lines
    .filter((line) => rows.some((row) => line.of(row) !== undefined))
    .map((line) => {
      const medians = systems.map((system) =>
        shown(median(rounds.map((round) => value(system, round, line) ?? Number.NaN)), line.digits),
      );
      const ratio = shown(
        overRounds(line, (of, to) => of / to),
        2,
      );
      const goal = ceiling === "full" ? line.fullGoal : line.goal;
      return [line.name, ...medians, ratio, verdict(goal, (met) => overRounds(line, met))];
    });
  const head = ["", ...systems, `${subject} ÷ ${ceiling}`, "goal"];
  const rule = head.map((_, at) => (at === 0 ? "---" : "---:"));
  return [head, rule, ...cells].map((row) => `| ${row.join(" | ")} |`).join("\n");
}

function verdict(goal: Goal | undefined, overRounds: (met: Goal["met"]) => number): string {
  if (goal === undefined) return "";
  const { words, met, most } = goal;
  const reached = overRounds(met);
  if (Number.isNaN(reached)) return words;
  return reached <= most ? `${words}: met` : `${words}: **missed** (${shown(reached, 2)})`;
}

const shown = (figure: number, digits: number) => (Number.isFinite(figure) ? figure.toFixed(digits) : "–");

/** Returns the reasons to doubt the figures: failed runs, missing model calls, answers of a wrong length. */
export function doubts(rows: readonly Row[]): string[] {
  return rows.flatMap((row) => {
    const of = `${row.system}, round ${row.round}`;
    const calls: [string, number, number | undefined][] = [
      ["W1", 1, row.W1?.modelCallsPerRun],
      ["W2", 2, row.W2?.modelCallsPerRun],
      ["W4", 2, row.W4?.modelCallsPerRun],
    ];
    const failed = (row.W1?.errors ?? 0) + (row.W2?.errors ?? 0) + (row.W4?.errors ?? 0);
    const wrong =
      (row.W3sse?.wrong ?? 0) +
      (row.W3ws?.wrong ?? 0) +
      (row.W3paced?.wrong ?? 0) +
      (row.W6?.wrong ?? 0) +
      (row.W6guarded?.wrong ?? 0);
    return [
      ...(failed > 0 ? [`${of}: ${failed} runs failed`] : []),
      ...(wrong > 0 ? [`${of}: ${wrong} streams were incomplete`] : []),
      ...calls
        .filter(([, wanted, made]) => made !== undefined && Math.abs(made - wanted) > 0.02)
        .map(
          ([name, wanted, made]) =>
            `${of}: ${name} made ${made?.toFixed(2)} model calls a run, not ${wanted}`,
        ),
    ];
  });
}
