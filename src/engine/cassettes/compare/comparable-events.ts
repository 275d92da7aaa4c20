import type { CassetteEntry, RecordedEvent } from "../../../contracts/daemon/cassettes/cassette-file.ts";
import { isRecord } from "../../../kit/json/is-record.ts";
import { comparable } from "../request-key.ts";

/** Events in the form in which they are compared. */
export function comparableEvents(
  events: readonly RecordedEvent[],
  { isMasked, isConcurrent, wasCutOff }: { isMasked: boolean; isConcurrent: boolean; wasCutOff: boolean },
): RecordedEvent[] {
  const joined = isMasked ? joinTokens(events) : events;
  const compared = joined.map((event) => {
    const one = comparableEvent(event, isConcurrent);
    return wasCutOff || (isMasked && isEstimated(one)) ? withoutTokens(one) : one;
  });
  return isConcurrent ? inFixedOrder(compared) : compared;
}

/** Returns true if a model call overlapped with other calls, so that the order of events depended on timing. */
export function wasConcurrent(entries: readonly CassetteEntry[]): boolean {
  let modelsUntil = 0;
  let toolsUntil = 0;
  for (const { kind, began, ended } of entries.toSorted((a, b) => a.began - b.began)) {
    if (kind === "model" && began < Math.max(modelsUntil, toolsUntil)) return true;
    if (kind === "tool" && began < modelsUntil) return true;
    if (kind === "model") modelsUntil = Math.max(modelsUntil, ended);
    if (kind === "tool") toolsUntil = Math.max(toolsUntil, ended);
  }
  return false;
}

/** Returns true if a run inside the recorded one was stopped. Its usage may then have been counted too late. */
export function wasCutOff(entries: readonly CassetteEntry[]): boolean {
  return entries.some(({ stopped, last }) => (stopped ?? last) !== undefined);
}

function comparableEvent(event: RecordedEvent, isConcurrent: boolean): RecordedEvent {
  if (event.type !== "done" || !isRecord(event.result)) return event;
  const { timing, trace_id, cassette, cassette_error, trace, metadata, chain, ...rest } = event.result;
  const ordered = isConcurrent ? listsInOrder(rest, ["tool_calls", "propuestas"]) : rest;
  return {
    ...event,
    result: {
      ...ordered,
      ...(isRecord(metadata) ? { metadata: comparableMetadata(metadata, isConcurrent) } : {}),
      ...(isRecord(chain) ? { chain: comparableChain(chain) } : {}),
    },
  };
}

/** Token estimates of a call that was cut off are based on its text, which masking has changed. */
function isEstimated({ usage }: RecordedEvent): boolean {
  return isRecord(usage) && usage.estimated === true;
}

function withoutTokens(event: RecordedEvent): RecordedEvent {
  const { usage, result, ...rest } = event;
  if (event.type !== "done" || !isRecord(result)) return event;
  const { usage: _, metadata, ...others } = result;
  if (!isRecord(metadata)) return { ...rest, result: others };
  const { tokens_used, ...facts } = metadata;
  return { ...rest, result: { ...others, metadata: facts } };
}

function comparableMetadata(metadata: Record<string, unknown>, isConcurrent: boolean): unknown {
  const { latency_ms, ...rest } = metadata;
  return isConcurrent ? listsInOrder(rest, ["tools_called"]) : rest;
}

function comparableChain({ run_id, links, ...rest }: Record<string, unknown>): unknown {
  if (!Array.isArray(links)) return { ...rest, links };
  return {
    ...rest,
    links: links.map((link: unknown) => {
      if (!isRecord(link)) return link;
      const { duration_ms, ...others } = link;
      return others;
    }),
  };
}

function listsInOrder(object: Record<string, unknown>, names: readonly string[]): Record<string, unknown> {
  const lists = names.flatMap((name) => {
    const list = object[name];
    return Array.isArray(list) ? [[name, byContent(list)]] : [];
  });
  return { ...object, ...Object.fromEntries(lists) };
}

const moving: ReadonlySet<string> = new Set(["tool_call", "tool_result", "step"]);

/** Sorts tool and step events by content within each group between events of other kinds. */
function inFixedOrder(events: readonly RecordedEvent[]): RecordedEvent[] {
  const ordered: RecordedEvent[] = [];
  let moved: RecordedEvent[] = [];
  for (const event of events) {
    if (moving.has(event.type)) moved.push(event);
    else {
      ordered.push(...byContent(moved), event);
      moved = [];
    }
  }
  return [...ordered, ...byContent(moved)];
}

/** Removes the events of tools and steps: which of them came before a stop depended on timing. */
export function withoutWork(events: readonly RecordedEvent[]): RecordedEvent[] {
  return events.filter(({ type }) => !moving.has(type));
}

function byContent<T>(items: readonly T[]): T[] {
  return items
    .map((item): [string, T] => [comparable(item), item])
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .map(([, item]) => item);
}

/** Joins all tokens into one text before the other events, because guardrails delay tokens depending on the text. */
function joinTokens(events: readonly RecordedEvent[]): RecordedEvent[] {
  const tokens = events.filter(({ type }) => type === "token");
  if (tokens.length === 0) return [...events];
  const content = tokens.map((token) => String(token.content)).join("");
  return [{ type: "token", content }, ...events.filter(({ type }) => type !== "token")];
}
