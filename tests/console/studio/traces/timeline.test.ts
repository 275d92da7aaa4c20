import { describe, expect, test } from "bun:test";
import {
  axisTicks,
  layoutTimeline,
  moveInTree,
  visibleRows,
} from "../../../../src/console/studio/traces/timeline.ts";
import type { Span, Trace } from "../../../../src/contracts/daemon/runs/run.ts";

const origin = Date.parse("2026-03-01T10:00:00.000Z");

function span(id: string, parent: string | undefined, startMs: number, durationMs: number): Span {
  return {
    name: id,
    span_id: id,
    ...(parent === undefined ? {} : { parent_span_id: parent }),
    start_time: new Date(origin + startMs).toISOString(),
    end_time: new Date(origin + startMs + durationMs).toISOString(),
    duration_ms: durationMs,
    attributes: {},
    status: "OK",
  };
}

const traceOf = (durationMs: number, spans: Span[]): Trace => ({
  trace_id: "t",
  agent: "a",
  session_id: "s",
  status: "OK",
  start_time: new Date(origin).toISOString(),
  duration_ms: durationMs,
  spans,
});

const nested = traceOf(100, [
  span("run", undefined, 0, 100),
  span("pattern", "run", 10, 80),
  span("call", "pattern", 20, 40),
  span("tool", "pattern", 60, 20),
  span("prompt", "run", 0, 10),
]);

describe("a trace over time", () => {
  test("is a tree, depth first, siblings by their beginning", () => {
    expect(layoutTimeline(nested).rows.map(({ span, depth }) => `${depth} ${span.name}`)).toEqual([
      "0 run",
      "1 prompt",
      "1 pattern",
      "2 call",
      "2 tool",
    ]);
  });

  test("has each span at its share of the axis, and what its children don't take", () => {
    const { rows, totalMs } = layoutTimeline(nested);
    expect(totalMs).toBe(100);
    const pattern = rows.find(({ span }) => span.name === "pattern");
    expect(pattern).toMatchObject({ offset: 0.1, width: 0.8, ownMs: 20, startMs: 10, hasChildren: true });
    expect(rows[0]?.ownMs).toBe(10);
  });

  test("counts what children do together once", () => {
    const spans = [span("run", undefined, 0, 100), span("a", "run", 10, 50), span("b", "run", 20, 30)];
    expect(layoutTimeline(traceOf(100, spans)).rows[0]?.ownMs).toBe(50);
  });

  test("reaches as far as a span that outlives it", () => {
    const { rows, totalMs } = layoutTimeline(
      traceOf(10, [span("run", undefined, 0, 10), span("late", "run", 8, 32)]),
    );
    expect(totalMs).toBe(40);
    expect(rows[1]).toMatchObject({ offset: 0.2, width: 0.8 });
  });

  test("shows a span without its parent at the top, and takes no time at all", () => {
    const { rows, totalMs } = layoutTimeline(traceOf(0, [span("lost", "gone", 0, 0)]));
    expect(totalMs).toBe(0);
    expect(rows[0]).toMatchObject({ depth: 0, parent: undefined, offset: 0, width: 1 });
  });

  test("without spans has no rows", () => {
    expect(layoutTimeline(traceOf(5, []))).toEqual({ rows: [], totalMs: 5 });
  });
});

describe("the tree by keyboard", () => {
  const { rows } = layoutTimeline(nested);
  const none: ReadonlySet<string> = new Set();
  const closed: ReadonlySet<string> = new Set(["pattern"]);
  const move = (current: string, key: string, folded = none) =>
    moveInTree(visibleRows(rows, folded), folded, current, key);

  test("what is folded away is not in it", () => {
    expect(visibleRows(rows, closed).map(({ span }) => span.name)).toEqual(["run", "prompt", "pattern"]);
    expect(visibleRows(rows, new Set(["run"])).map(({ span }) => span.name)).toEqual(["run"]);
  });

  test("up and down, to both ends and no further", () => {
    expect(move("run", "ArrowDown")).toEqual({ select: "prompt" });
    expect(move("prompt", "ArrowUp")).toEqual({ select: "run" });
    expect(move("run", "ArrowUp")).toBeUndefined();
    expect(move("tool", "ArrowDown")).toBeUndefined();
    expect(move("run", "End")).toEqual({ select: "tool" });
    expect(move("tool", "Home")).toEqual({ select: "run" });
  });

  test("left closes, then goes up; right opens, then goes in", () => {
    expect(move("pattern", "ArrowLeft")).toEqual({ close: "pattern" });
    expect(move("pattern", "ArrowLeft", closed)).toEqual({ select: "run" });
    expect(move("pattern", "ArrowRight", closed)).toEqual({ open: "pattern" });
    expect(move("pattern", "ArrowRight")).toEqual({ select: "call" });
    expect(move("call", "ArrowRight")).toBeUndefined();
    expect(move("call", "ArrowLeft")).toEqual({ select: "pattern" });
  });

  test("other keys, and spans that are gone, do nothing", () => {
    expect(move("run", "x")).toBeUndefined();
    expect(move("gone", "ArrowDown")).toBeUndefined();
  });
});

test.each([
  [47, [0, 20, 40]],
  [100, [0, 50, 100]],
  [1000, [0, 500, 1000]],
  [0.9, [0, 0.5]],
  [0, [0]],
  [Number.MIN_VALUE, [0]],
  [Number.POSITIVE_INFINITY, [0]],
  [Number.NaN, [0]],
])("the axis of %p ms", (total, ticks) => {
  expect(axisTicks(total)).toEqual(ticks);
});
