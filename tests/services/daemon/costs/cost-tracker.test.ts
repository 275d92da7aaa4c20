import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { UsageRecord } from "../../../../src/engine/spending/usage-record.ts";
import { CostTracker } from "../../../../src/services/daemon/costs/cost-tracker.ts";
import { newTally } from "../../../../src/services/daemon/costs/tally.ts";

const startedAt = new Date("2026-01-01T00:00:00.000Z");
const hourMs = 3_600_000;

function record(fields: Partial<UsageRecord> = {}, minute = 0): UsageRecord {
  return {
    tenant: "t",
    agent: "a",
    sessionId: "s",
    provider: "lab",
    model: "m",
    inputTokens: 10,
    outputTokens: 5,
    cachedTokens: 0,
    estimated: false,
    costMicros: 100,
    latencyMs: 2,
    pattern: "react",
    at: new Date(startedAt.getTime() + minute * 60_000),
    ...fields,
  };
}

const at = (minute: number) => record({}, minute).at;

describe("totals", () => {
  test("are listed by agent and model, each tenant's apart", () => {
    const tracker = new CostTracker(startedAt);
    tracker.record([
      record(),
      record({ model: "n", costMicros: null, estimated: true }),
      record({ agent: "b" }),
    ]);
    tracker.record([record(), record({ tenant: "u", costMicros: 7 })]);
    const { rows, from } = tracker.totals("t", {});
    expect(from).toEqual(startedAt);
    expect(rows.map(({ agent, model, tally }) => [agent, model, tally.calls, tally.costMicros])).toEqual([
      ["a", "m", 2, 200],
      ["a", "n", 1, 0],
      ["b", "m", 1, 100],
    ]);
    expect(rows[1]?.tally).toEqual({
      ...newTally(),
      calls: 1,
      inputTokens: 10,
      outputTokens: 5,
      unpricedCalls: 1,
      estimatedCalls: 1,
      latencyMs: 2,
    });
    expect(tracker.totals("t", { agent: "b" }).rows).toHaveLength(1);
    expect(tracker.totals("nobody", {}).rows).toEqual([]);
    expect(tracker.costMicrosOf("t", "a")).toBe(200);
    expect([tracker.knows("t", "b"), tracker.knows("u", "b")]).toEqual([true, false]);
  });
  test("since an instant count from it on, and say where single records no longer reach", () => {
    const tracker = new CostTracker(startedAt, 3);
    tracker.record([1, 2, 3, 4, 5].map((minute) => record({}, minute)));
    const since = (minute: number) => {
      const { rows, from } = tracker.totals("t", { since: at(minute) });
      return [rows[0]?.tally.calls ?? 0, from];
    };
    expect(since(5)).toEqual([1, at(5)]);
    expect(since(4)).toEqual([2, at(4)]);
    expect(since(6)).toEqual([0, at(6)]);
    expect(since(1)).toEqual([3, at(2)]);
    // The totals still include all of it.
    expect(since(0)).toEqual([5, startedAt]);
  });
  test("names without end are added up", () => {
    const tracker = new CostTracker(startedAt);
    tracker.record(Array.from({ length: 1000 }, (_, number) => record({ model: `m${number}` })));
    const { rows } = tracker.totals("t", {});
    expect(rows).toHaveLength(257);
    expect(rows.find(({ model }) => model === "other")?.tally.calls).toBe(744);
  });
});

test("records come newest first, up to a limit", () => {
  const tracker = new CostTracker(startedAt, 4);
  tracker.record([1, 2, 3, 4, 5].map((minute) => record({ agent: minute === 3 ? "b" : "a" }, minute)));
  const latest = (query: Parameters<CostTracker["latest"]>[1]) =>
    tracker.latest("t", query).map(({ at: instant }) => (instant.getTime() - startedAt.getTime()) / 60_000);
  expect(latest({ limit: 10 })).toEqual([5, 4, 3, 2]);
  expect(latest({ limit: 2 })).toEqual([5, 4]);
  expect(latest({ limit: 10, agent: "a", since: at(3) })).toEqual([5, 4]);
  expect(tracker.latest("u", { limit: 10 })).toEqual([]);
});

test("intervals begin at whole hours of UTC, the oldest first", () => {
  const tracker = new CostTracker(startedAt);
  tracker.record([record({}, 59), record({}, 60), record({ agent: "b" }, 61), record({}, 119)]);
  const { rows } = tracker.intervals("t", { since: at(0), intervalMs: hourMs });
  expect(rows.map(({ startsAt, agent, tally }) => [startsAt.toISOString(), agent, tally.calls])).toEqual([
    ["2026-01-01T00:00:00.000Z", "a", 1],
    ["2026-01-01T01:00:00.000Z", "a", 2],
    ["2026-01-01T01:00:00.000Z", "b", 1],
  ]);
});

test("however records come, a total since an instant is what the records since say", () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ minute: fc.nat({ max: 50 }), costMicros: fc.nat({ max: 9 }) }), { maxLength: 40 }),
      fc.integer({ min: 1, max: 30 }),
      fc.integer({ min: 1, max: 50 }),
      (calls, capacity, minute) => {
        const tracker = new CostTracker(startedAt, capacity);
        for (const call of calls) tracker.record([record({ costMicros: call.costMicros }, call.minute)]);
        const kept = calls.slice(-capacity).filter((call) => call.minute >= minute);
        const { rows, from } = tracker.totals("t", { since: at(minute) });
        expect(rows[0]?.tally.costMicros ?? 0).toBe(kept.reduce((sum, call) => sum + call.costMicros, 0));
        // All dropped calls are before the instant from which the figures are complete.
        for (const call of calls.slice(0, -capacity)) {
          expect(call.minute <= minute || at(call.minute) <= from).toBe(true);
        }
      },
    ),
  );
});
