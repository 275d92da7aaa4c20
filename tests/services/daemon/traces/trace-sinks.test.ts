import { expect, test } from "bun:test";
import { presentTrace } from "../../../../src/engine/telemetry/present-trace.ts";
import { lineWriter, toAll } from "../../../../src/services/daemon/traces/trace-sinks.ts";
import { recordedTrace } from "../../../support/recorded-trace.ts";

test("a trace goes to every sink, and is a line of JSON on stdout as the API shows it", () => {
  const lines: string[] = [];
  const tenants: string[] = [];
  const sink = toAll([
    lineWriter((line) => lines.push(line)),
    { record: (tenant) => void tenants.push(tenant) },
  ]);
  const trace = recordedTrace("0198f6a1-1111-7222-8333-0123456789ab", 0, { output: "two\nlines" });
  sink.record("t", trace);
  expect(tenants).toEqual(["t"]);
  expect(lines).toHaveLength(1);
  expect(lines[0]?.split("\n")).toHaveLength(2);
  expect(JSON.parse(lines[0] ?? "")).toEqual(presentTrace(trace));
});
