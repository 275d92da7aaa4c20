import { expect, test } from "bun:test";
import { readTraceParent, traceIdOf, traceParentOf } from "../../src/kit/trace-parent.ts";

const trace = "4bf92f3577b34da6a3ce929d0e0e4736";
const span = "00f067aa0ba902b7";

test("a traceparent is read, also of a later version", () => {
  for (const version of ["00", "01", "fe"]) {
    expect(readTraceParent(`${version}-${trace}-${span}-01`)).toEqual({ traceId: trace, spanId: span });
  }
});

test.each([
  undefined,
  null,
  "",
  "bad",
  `ff-${trace}-${span}-01`,
  `00-${trace.toUpperCase()}-${span}-01`,
  `00-${"0".repeat(32)}-${span}-01`,
  `00-${trace}-${"0".repeat(16)}-01`,
  `00-${trace}-${span}`,
  `00-${trace}-${span}-01-more`,
  ` 00-${trace}-${span}-01`,
])("%p is ignored", (text) => {
  expect(readTraceParent(text)).toBeUndefined();
});

test("a record begins a trace, or takes part in one", () => {
  const id = "01900000-0000-7000-8000-0123456789ab";
  expect(traceIdOf(id)).toBe("019000000000700080000123456789ab");
  expect(readTraceParent(traceParentOf(id))).toEqual({ traceId: traceIdOf(id), spanId: "80000123456789ab" });
  expect(readTraceParent(traceParentOf(id, trace))).toEqual({ traceId: trace, spanId: "80000123456789ab" });
});
