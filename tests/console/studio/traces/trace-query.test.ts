import { expect, test } from "bun:test";
import {
  filterNames,
  sortNames,
  type TraceFilterValues,
  traceQueryOf,
  tracesHref,
} from "../../../../src/console/studio/traces/trace-query.ts";

const nowMs = Date.UTC(2026, 0, 2);
const none = Object.fromEntries([...filterNames, "sort"].map((name) => [name, ""])) as TraceFilterValues;
const queryOf = (values: Partial<TraceFilterValues>) => traceQueryOf({ ...none, ...values }, nowMs);

test("the address becomes the daemon's query, and what means nothing there is left out", () => {
  expect(queryOf({})).toEqual({});
  expect(queryOf({ search: "  50% _ ", agent: "a", session: "s", tenant: "t", model: "m/x" })).toEqual({
    search: "50% _",
    agent: "a",
    session_id: "s",
    tenant: "t",
    model: "m/x",
  });
  expect(queryOf({ since: "24h", until: "2026-01-01T12:00:00Z" })).toEqual({
    since: "2026-01-01T00:00:00.000Z",
    until: "2026-01-01T12:00:00.000Z",
  });
  const meaningless = {
    status: "x",
    feedback: "x",
    since: "x",
    until: "x",
    sort: "constructor",
    search: " ",
  };
  expect(queryOf(meaningless)).toEqual({});
});

test("each order asks for a key of its own direction", () => {
  expect(sortNames.map((sort) => queryOf({ sort }))).toEqual([
    { sort: "time" },
    { sort: "time", order: "asc" },
    { sort: "latency" },
    { sort: "latency", order: "asc" },
    { sort: "cost" },
    { sort: "cost", order: "asc" },
  ]);
});

test("an address keeps any text as it is", () => {
  const agent = `a&b=c "ñ"`;
  const { searchParams } = new URL(tracesHref({ agent, status: "" }), "http://x");
  expect([...searchParams]).toEqual([["agent", agent]]);
});
