import type { RunEvent } from "../../../../engine/run-state/run-event.ts";
import { traceOfText, traceText } from "../../traces/trace-text.ts";
import type { RunLine } from "./run-lines.ts";

/*
 * The answer to a run that ended before anything of it had to be sent: its line as in `run-lines.ts`, but signed as a whole in the header of
 * the answer. The trace follows the line as a text of its own, which a node parses when it first reads the event's trace.
 */

/** Media type of whole answers. */
export const wholeType = "application/json";

/** Media type of answers in lines. A node that accepts it by name accepts whole answers as well. */
export const linesType = "application/x-ndjson";

/** Writes the events of a run. The last may be `done`. */
export function wholeAnswer(events: readonly RunEvent[]): string {
  const last = events.at(-1);
  if (last?.type !== "done" || last.trace === undefined) return JSON.stringify(events);
  const { trace, ...done } = last;
  return `${JSON.stringify([...events.slice(0, -1), done])}\n${traceText(trace)}`;
}

/** Reads what `wholeAnswer`, or `errorLine` of `run-lines.ts`, wrote. The signature must have been checked. */
export function readWhole(text: string): RunLine {
  const end = text.indexOf("\n");
  if (end === -1) return JSON.parse(text) as RunLine;
  const events = JSON.parse(text.slice(0, end)) as RunEvent[];
  const done = events.at(-1);
  if (done === undefined) return events;
  const sent = text.slice(end + 1);
  let trace: ReturnType<typeof traceOfText> | undefined;
  Object.defineProperty(done, "trace", {
    enumerable: true,
    get() {
      trace ??= traceOfText(sent);
      return trace;
    },
  });
  return events;
}
