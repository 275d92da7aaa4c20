import type { RecordedEvent } from "../../../contracts/daemon/cassettes/cassette-file.ts";
import type { Divergence } from "../../../contracts/daemon/cassettes/cassettes.ts";
import { comparableEvents, withoutWork } from "./comparable-events.ts";
import { firstDifference } from "./first-difference.ts";

export interface CompareOptions {
  /** Ignores events that only `got` has at the end, because the recorded run was stopped. */
  wasStopped: boolean;
  /** Compares only as many events as both runs have, because the outcomes describe the difference better. */
  commonOnly: boolean;
  /** Secrets were masked, so tokens may be split differently. Only their joined text is compared. */
  isMasked: boolean;
  /** Calls were cut off, so token counts are not compared. */
  wasCutOff: boolean;
  /** Several calls ran at the same time, so their events may come in any order. */
  isConcurrent: boolean;
}

/** The first difference between the events of a run and the recorded ones; undefined if they are equal. */
export function compareEvents(
  recorded: readonly RecordedEvent[],
  got: readonly RecordedEvent[],
  options: CompareOptions,
): Divergence | undefined {
  const isTimely = options.wasStopped && options.isConcurrent;
  const expected = comparableEvents(isTimely ? withoutWork(recorded) : recorded, options);
  const comparable = comparableEvents(isTimely ? withoutWork(got) : got, options);
  const count = countCompared(expected.length, comparable.length, options);
  for (let index = 0; index < count; index++) {
    const isCut = options.wasStopped && options.isMasked;
    const got = isCut ? cutAs(expected[index], comparable[index]) : comparable[index];
    const divergence = compareEvent(expected[index], got, index + 1);
    if (divergence !== undefined) return divergence;
  }
  return undefined;
}

function countCompared(expected: number, told: number, { wasStopped, commonOnly }: CompareOptions): number {
  if (commonOnly) return Math.min(expected, told);
  return wasStopped ? expected : Math.max(expected, told);
}

/** If the recorded run was stopped within a text, the rest of the text is not compared. */
function cutAs(
  expected: RecordedEvent | undefined,
  got: RecordedEvent | undefined,
): RecordedEvent | undefined {
  if (typeof expected?.content !== "string" || expected.type !== "token") return got;
  if (typeof got?.content !== "string" || got.type !== "token") return got;
  return { ...got, content: got.content.slice(0, expected.content.length) };
}

function compareEvent(
  expected: RecordedEvent | undefined,
  got: RecordedEvent | undefined,
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
  expected: RecordedEvent | undefined,
  got: RecordedEvent | undefined,
  number: number,
  path: string,
): string {
  if (expected === undefined) return `Event ${number} (${got?.type}) is one more than was recorded.`;
  if (got === undefined) return `Event ${number} (${expected.type}) was recorded and did not come.`;
  if (expected.type !== got.type) return `Event ${number} is ${got.type}, not ${expected.type}.`;
  return `Event ${number} (${got.type}) is not the recorded one: ${path} differs.`;
}
