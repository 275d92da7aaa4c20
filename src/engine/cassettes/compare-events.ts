import type { TapedEvent } from "../../contracts/daemon/cassette-file.ts";
import type { Divergence } from "../../contracts/daemon/cassettes.ts";
import { comparableEvents, withoutWork } from "./comparable-events.ts";
import { firstDifference } from "./first-difference.ts";

export interface CompareOptions {
  /** What only `got` has in the end is not compared: the recorded run was stopped. */
  wasStopped: boolean;
  /** What only one of them has in the end is not compared: how they ended says more. */
  commonOnly: boolean;
  /** Secrets were masked, so tokens may be cut and held back otherwise: they are compared as the text that they make. */
  isMasked: boolean;
  /** Calls were cut off: how many tokens they took is not compared. */
  wasCutOff: boolean;
  /** Several were at work at once: their events may come in any order. */
  isConcurrent: boolean;
}

/** Where the events of a run differ first from those recorded; undefined when they are equal. */
export function compareEvents(
  recorded: readonly TapedEvent[],
  got: readonly TapedEvent[],
  options: CompareOptions,
): Divergence | undefined {
  const isTimely = options.wasStopped && options.isConcurrent;
  const expected = comparableEvents(isTimely ? withoutWork(recorded) : recorded, options);
  const told = comparableEvents(isTimely ? withoutWork(got) : got, options);
  const count = countCompared(expected.length, told.length, options);
  for (let index = 0; index < count; index++) {
    const isCut = options.wasStopped && options.isMasked;
    const got = isCut ? cutAs(expected[index], told[index]) : told[index];
    const divergence = compareEvent(expected[index], got, index + 1);
    if (divergence !== undefined) return divergence;
  }
  return undefined;
}

function countCompared(expected: number, told: number, { wasStopped, commonOnly }: CompareOptions): number {
  if (commonOnly) return Math.min(expected, told);
  return wasStopped ? expected : Math.max(expected, told);
}

/** Where a run was stopped in the middle of a text, what comes after that is not compared. */
function cutAs(expected: TapedEvent | undefined, got: TapedEvent | undefined): TapedEvent | undefined {
  if (typeof expected?.content !== "string" || expected.type !== "token") return got;
  if (typeof got?.content !== "string" || got.type !== "token") return got;
  return { ...got, content: got.content.slice(0, expected.content.length) };
}

function compareEvent(
  expected: TapedEvent | undefined,
  got: TapedEvent | undefined,
  number: number,
): Divergence | undefined {
  const difference = firstDifference(expected, got);
  if (difference === undefined) return undefined;
  return {
    at: "event",
    number,
    message: messageOf(expected, got, number, difference.path),
    difference,
    ...(expected === undefined ? {} : { expected }),
    ...(got === undefined ? {} : { got }),
  };
}

function messageOf(
  expected: TapedEvent | undefined,
  got: TapedEvent | undefined,
  number: number,
  path: string,
): string {
  if (expected === undefined) return `Event ${number} (${got?.type}) is one more than was recorded.`;
  if (got === undefined) return `Event ${number} (${expected.type}) was recorded and did not come.`;
  if (expected.type !== got.type) return `Event ${number} is ${got.type}, not ${expected.type}.`;
  return `Event ${number} (${got.type}) is not the recorded one: ${path} differs.`;
}
