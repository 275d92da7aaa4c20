import type {
  CassetteComparison,
  Difference,
  Divergence,
  ForkReport,
  ReplayReport,
} from "../../contracts/daemon/cassettes/cassettes.ts";
import { paint } from "../terminal/paint.ts";
import type { Screen } from "../terminal/screen.ts";

/** Prints the result of a replay: one line if it matched the recording, otherwise the first difference. */
export function printReport(screen: Screen, report: ReplayReport): void {
  for (const warning of report.warnings) screen.say(paint("yellow", "warning:"), " ", warning);
  const { events, model_calls, tool_calls } = report.replayed;
  const counts = [
    counted(events, "event"),
    counted(model_calls, "model call"),
    counted(tool_calls, "tool call"),
  ].join(", ");
  if (report.divergence === undefined) screen.print(paint("green", "identical"), ` (${counts})`);
  else {
    printDivergence(screen, "diverged", report.divergence, ["recorded", "replayed"]);
    screen.say(paint("dim", `after ${counts}`));
  }
}

/** Prints the answer of a fork and how much of it was replayed. */
export function printFork(screen: Screen, report: ForkReport): void {
  for (const warning of report.warnings) screen.say(paint("yellow", "warning:"), " ", warning);
  const { played, live, outcome, divergence } = report;
  if (divergence !== undefined) printDivergence(screen, "diverged", divergence, ["recorded", "replayed"]);
  if ("result" in outcome) screen.print(String(outcome.result.response));
  else if ("error" in outcome)
    screen.say(paint("red", "error:"), ` ${outcome.error.message} (${outcome.error.code})`);
  const facts = [
    `played ${counted(played.model_calls, "model call")} and ${counted(played.tool_calls, "tool call")}`,
    `then ${counted(live.model_calls, "model call")} and ${counted(live.tool_calls, "tool call")} live`,
  ];
  if (live.tools_refused > 0)
    facts.push(`${counted(live.tools_refused, "tool call")} not executed (see --live-tools)`);
  screen.say(paint("dim", facts.join("; ")));
}

/** Prints where two recordings differ first. */
export function printComparison(screen: Screen, { a, b, divergence }: CassetteComparison): void {
  if (divergence !== undefined) printDivergence(screen, "different", divergence, ["first", "second"]);
  else {
    const counts = [counted(a.events, "event"), counted(a.model_calls, "model call")];
    screen.print(paint("green", "identical"), ` (${counts.join(", ")})`);
  }
  for (const [name, { agent, recorded_at, status }] of [
    ["first", a],
    ["second", b],
  ] as const) {
    screen.say(paint("dim", `${name.padEnd(6)}  ${agent}, ${recorded_at}, ${status}`));
  }
}

function printDivergence(
  screen: Screen,
  verdict: string,
  { message, difference }: Divergence,
  names: readonly [string, string],
): void {
  screen.print(paint("red", verdict), `: ${message}`);
  if (difference !== undefined) printDifference(screen, difference, names);
}

/** Prints both texts one above the other, from the same position on, so that the difference is easy to see. */
function printDifference(
  screen: Screen,
  { path, character, expected, got }: Difference,
  [one, other]: readonly [string, string],
): void {
  const place = character === undefined ? path : `${path}, character ${character}`;
  screen.fields([
    ["at", place === "" ? "the whole" : place],
    [one, inOneLine(expected)],
    [other, inOneLine(got)],
  ]);
}

/** Writes line ends and other special characters as JSON does. */
function inOneLine(text: string): string {
  return JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"');
}

function counted(count: number, name: string): string {
  return `${count} ${name}${count === 1 ? "" : "s"}`;
}
