import type { TapedEvent } from "../../contracts/daemon/cassette-file.ts";
import type { Divergence } from "../../contracts/daemon/cassettes.ts";
import { comparableEvents } from "./comparable-events.ts";
import { firstDifference } from "./first-difference.ts";

export interface CompareOptions {
  /** What only `got` has in the end is not compared: the recorded run was stopped. */
  wasStopped: boolean;
  /** What only the recording has in the end is not compared: the run failed, which says more. */
  failed: boolean;
  /** Secrets were masked, so tokens may be cut otherwise: they are compared as the text that they make. */
  isMasked: boolean;
  /** Several were at work at once: their events may come in any order. */
  isConcurrent: boolean;
}

/** Where the events of a run differ first from those recorded; undefined when they are equal. */
export function compareEvents(
  recorded: readonly TapedEvent[],
  got: readonly TapedEvent[],
  options: CompareOptions,
): Divergence | undefined {
  const expected = comparableEvents(recorded, options);
  const told = comparableEvents(got, options);
  const longest = Math.max(expected.length, told.length);
  const count = Math.min(
    options.wasStopped ? expected.length : longest,
    options.failed ? told.length : longest,
  );
  for (let index = 0; index < count; index++) {
    const divergence = compareEvent(expected[index], told[index], index + 1);
    if (divergence !== undefined) return divergence;
  }
  return undefined;
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
