import { expect, test } from "bun:test";
import { cleanTrace } from "../../../src/engine/telemetry/clean-trace.ts";
import type { RecordedSpan, RecordedTrace } from "../../../src/engine/telemetry/trace.ts";

test("texts among the attributes are redacted; spans without any stay the same objects", () => {
  const plain: RecordedSpan = ["run", -1, 0, 2, "OK", { status: "ok", input_tokens: 4 }];
  const told: RecordedSpan = [
    "tool.call",
    0,
    0,
    1,
    "OK",
    { tool: "key-1234", ok: true, output: { key: "key-1234" } },
  ];
  const trace: RecordedTrace = {
    trace_id: "t",
    agent: "a",
    session_id: "s",
    status: "OK",
    started_at_ms: 0,
    duration_ms: 2,
    spans: [plain, told],
  };
  const redact = (value: unknown) => (value === "key-1234" ? "[redacted]" : value);
  const cleaned = cleanTrace(trace, redact);
  expect(cleaned.spans[0]).toBe(plain);
  // Recorded content was already redacted when it was recorded.
  expect(cleaned.spans[1]?.[5]).toEqual({ tool: "[redacted]", ok: true, output: { key: "key-1234" } });
  expect(told[5].tool).toBe("key-1234");
});
