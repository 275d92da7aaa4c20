import type { TraceListQuery, TraceSortKey } from "../../../contracts/daemon/runs/traces.ts";
import { sourceFilterOf } from "../../quality/source-select.tsx";
import { rangeStart } from "./time-range.ts";

/** Query parameters of the page; "" means absent. */
export const filterNames = [
  "search",
  "agent",
  "model",
  "status",
  "source",
  "session",
  "since",
  "until",
  "feedback",
  "feedback_source",
  "tenant",
] as const;

/** Values from the address; "" means all. */
export type TraceFilterValues = Record<(typeof filterNames)[number] | "sort", string>;

/** Orders of the list: their names in the address, and what they ask of the daemon. */
const sorts: Readonly<Record<string, { sort: TraceSortKey; order?: "asc" }>> = {
  newest: { sort: "time" },
  oldest: { sort: "time", order: "asc" },
  slowest: { sort: "latency" },
  fastest: { sort: "latency", order: "asc" },
  costliest: { sort: "cost" },
  cheapest: { sort: "cost", order: "asc" },
};
export const sortNames: readonly string[] = Object.keys(sorts);

/** Returns the daemon's query for the values of the address. Values that mean nothing are left out. */
export function traceQueryOf(values: TraceFilterValues, nowMs: number): TraceListQuery {
  const { search, agent, model, status, source, session, since, until } = values;
  const { feedback, feedback_source, tenant, sort } = values;
  const [from, to] = [rangeStart(since, nowMs), rangeStart(until, nowMs)];
  const query: TraceListQuery = {
    ...(status === "OK" || status === "ERROR" ? { status } : {}),
    ...(feedback === "up" || feedback === "down" || feedback === "any" ? { feedback } : {}),
    ...(feedback_source === "person" || feedback_source === "channel" ? { feedback_source } : {}),
    ...(sourceFilterOf(source, "all") === "all" ? {} : { source: sourceFilterOf(source, "all") }),
    ...(from === undefined ? {} : { since: from }),
    ...(to === undefined ? {} : { until: to }),
    ...sorts[sort],
  };
  const texts = { search: search.trim(), agent, model, session_id: session, tenant };
  for (const [name, text] of Object.entries(texts)) if (text !== "") Object.assign(query, { [name]: text });
  return query;
}

/** Tenant of the daemon's own runs. */
export const ownTenant = "operator";

/** Returns the address of a trace; of a tenant's run with the tenant, without which it isn't found. */
export function traceHref(id: string, tenant = "", more: Readonly<Record<string, string>> = {}): string {
  const whose: Record<string, string> = tenant === "" || tenant === ownTenant ? {} : { tenant };
  const query = new URLSearchParams({ ...whose, ...more });
  return `/studio/traces/${encodeURIComponent(id)}${query.size === 0 ? "" : `?${query}`}`;
}

/** Returns the address of the list with these values. */
export function tracesHref(values: Partial<TraceFilterValues>): string {
  const given = Object.entries(values).filter(([, value]) => value !== "");
  return `/studio/traces?${new URLSearchParams(given)}`;
}
