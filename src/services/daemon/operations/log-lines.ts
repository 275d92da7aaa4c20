import type { LogLine, LogLineLevel, LogPage, LogQuery } from "../../../contracts/daemon/operations.ts";
import type { KeptLine, LogRing } from "../../../kit/log-ring.ts";

const ranks: Readonly<Record<LogLineLevel, number>> = { debug: 0, info: 1, warning: 2, error: 3 };

const limitByDefault = 500;

/** Returns the newest lines that match, of those after line `after`. */
export function readLog(ring: LogRing, query: LogQuery, after = 0): LogPage {
  const { limit = limitByDefault } = query;
  const ringLines = ring.after(after);
  const matches = matcherOf(query);
  const lines: LogLine[] = [];
  for (let place = ringLines.length - 1; place >= 0 && lines.length < limit; place--) {
    const line = ringLines[place] as KeptLine;
    const isMatch = matches(line);
    if (isMatch !== undefined) lines.push(isMatch);
  }
  return { lines: lines.reverse(), oldest: ring.after(0)[0]?.number ?? 0, last: ring.last };
}

/** Yields the newest lines, then each group of lines that follows, until the signal aborts. The first page may be empty. */
export async function* followLog(
  ring: LogRing,
  query: LogQuery,
  signal: AbortSignal,
): AsyncGenerator<LogPage> {
  let page = readLog(ring, query);
  yield page;
  while (!signal.aborted) {
    if (ring.last === page.last) await ring.next(signal);
    if (signal.aborted) return;
    page = readLog(ring, query, page.last);
    if (page.lines.length > 0) yield page;
  }
}

/** Returns a function that parses a line if it matches. A line is parsed only if its text does. */
function matcherOf({ level, text }: LogQuery): (line: KeptLine) => LogLine | undefined {
  const lowest = level === undefined ? 0 : ranks[level];
  const wanted = text?.toLowerCase();
  return ({ number, json }) => {
    if (wanted !== undefined && !json.toLowerCase().includes(wanted)) return undefined;
    const { level: own, time, event, ...fields } = JSON.parse(json) as Omit<LogLine, "fields" | "number">;
    return ranks[own] < lowest ? undefined : { number, level: own, time, event, fields };
  };
}
