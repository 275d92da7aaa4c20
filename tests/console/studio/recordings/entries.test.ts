import { describe, expect, test } from "bun:test";
import { entryLine, numberEntries } from "../../../../src/console/studio/recordings/entries.ts";
import type { CassetteEntry } from "../../../../src/contracts/daemon/cassettes/cassette-file.ts";

const common = { by: { agent: "a" }, key: "k", request: {}, began: 1, ended: 2, after_events: 0 };
const usage = { inputTokens: 1, outputTokens: 1, cachedTokens: 0, estimated: false };
const model = (seq: number, text: string): CassetteEntry => ({
  ...common,
  seq,
  kind: "model",
  answer: {
    events: [
      { type: "text", text },
      { type: "tool_call", call: { id: "1", name: "clock", input: { zone: "UTC" } } },
      { type: "end", finish: "stop", usage },
    ],
  },
});
const tool = (seq: number): CassetteEntry => ({
  ...common,
  seq,
  kind: "tool",
  request: { tool: "clock", input: { zone: "UTC" } },
  answer: { result: { success: true, data: "ten" } },
});
const clock = (seq: number): CassetteEntry => ({
  ...common,
  seq,
  kind: "clock",
  answer: { at: "2026-03-01T00:00:00.000Z" },
});

describe("the entries of a recording", () => {
  const entries = [model(4, "b"), clock(1), model(2, "a"), tool(3)];

  test("are in order, each counted among its kind", () => {
    expect(numberEntries(entries, true).map(({ entry, number }) => `${entry.kind} ${number}`)).toEqual([
      "clock 1",
      "model 1",
      "tool 1",
      "model 2",
    ]);
  });

  test("are calls alone at first", () => {
    expect(numberEntries(entries, false).map(({ entry }) => entry.kind)).toEqual(["model", "tool", "model"]);
  });
});

describe("an entry in a line", () => {
  test("of a model: what it said, and what it wants to call", () => {
    expect(entryLine(model(1, "Let me\n\nsee."))).toBe('Let me see. → clock({"zone":"UTC"})');
    expect(entryLine(model(1, ""))).toBe('clock({"zone":"UTC"})');
  });

  test("of a model that failed: why", () => {
    const error = { kind: "upstream_failed", code: "rate_limited", message: "Too many." };
    const failed: CassetteEntry = { ...common, seq: 1, kind: "model", answer: { events: [], error } };
    expect(entryLine(failed)).toBe("rate_limited: Too many.");
  });

  test("of a tool: its name and what it gave", () => {
    expect(entryLine(tool(1))).toBe('clock → {"success":true,"data":"ten"}');
  });

  test("is never long", () => {
    expect(entryLine(model(1, "x".repeat(10_000)))).toHaveLength(160);
  });
});
