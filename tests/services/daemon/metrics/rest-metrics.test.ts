import { expect, test } from "bun:test";
import { Gauge } from "../../../../src/kit/metrics.ts";
import { RestMetrics } from "../../../../src/services/daemon/metrics/rest-metrics.ts";
import { SessionGauge } from "../../../../src/services/daemon/metrics/session-gauge.ts";

test("counters add up and summaries know their ends", () => {
  const metrics = new RestMetrics();
  metrics.count("runs");
  metrics.count("runs", 4);
  metrics.count("tokens", 0);
  for (const value of [5, 1, 3]) metrics.observe("latency", value);
  metrics.observe("below zero", -2);
  expect(metrics.snapshot()).toEqual({
    counters: { runs: 5, tokens: 0 },
    histograms: {
      latency: { count: 3, sum: 9, avg: 3, min: 1, max: 5 },
      "below zero": { count: 1, sum: -2, avg: -2, min: -2, max: -2 },
    },
  });
});

test("a snapshot is not changed by what comes after it, and a reset empties", () => {
  const metrics = new RestMetrics();
  metrics.observe("latency", 1);
  const before = metrics.snapshot();
  metrics.observe("latency", 9);
  expect(before.histograms.latency?.count).toBe(1);
  metrics.reset();
  expect(metrics.snapshot()).toEqual({ counters: {}, histograms: {} });
});

test("a session counts as active until its last run has ended", () => {
  const gauge = new Gauge({ name: "active", help: "a", labels: ["agent_name"] });
  const sessions = new SessionGauge(gauge);
  const active = () => ({ one: gauge.of("one").value, two: gauge.of("two").value });
  sessions.enter("one", "a");
  sessions.enter("one", "a");
  sessions.enter("one", "b");
  sessions.enter("two", "a");
  expect(active()).toEqual({ one: 2, two: 1 });
  sessions.leave("one", "a");
  expect(active()).toEqual({ one: 2, two: 1 });
  sessions.leave("one", "a");
  sessions.leave("one", "a");
  sessions.leave("two", "unknown");
  sessions.leave("unknown", "a");
  expect(active()).toEqual({ one: 1, two: 1 });
});
