import { expect, test } from "bun:test";
import { toolResultAwaited } from "../../../src/contracts/daemon/runs/ended-run.ts";
import type { ClientToolCall } from "../../../src/contracts/daemon/runs/tool-calls.ts";
import { daemonParts, say } from "../recording-shell.ts";

const call: ClientToolCall = {
  id: "c-1",
  agent: "guide",
  session_id: "s",
  tool: "locate",
  input: { exact: true },
  status: "pending",
  created_at: "2026-01-01T00:00:00.000Z",
  expires_at: "2026-01-02T00:00:00.000Z",
};

const awaited = { ...call, call_id: "c-1" };

test("lists and shows calls", async () => {
  const parts = daemonParts({
    listToolCalls: async () => ({ tool_calls: [call] }),
    getToolCall: async () => ({ ...call, next_approval_id: "a-2" }),
  });
  const listed = await say(["tool-calls"], { parts });
  expect(listed.stdout).toContain('{"exact":true}');
  expect((await say(["tool-calls", "show", "c-1"], { parts })).stdout).toContain("a-2");
});

test("hands in what came of a call, and prints the answer of the run", async () => {
  const given: unknown[] = [];
  const parts = daemonParts({
    answerToolCall: async (...said) => {
      given.push(said.slice(0, 2));
      return { response: "You are in Lisbon." } as never;
    },
  });
  for (const [option, value] of [
    ["--output", '{"place":"Lisbon"}'],
    ["--output", "null"],
    ["--error", "no signal"],
  ] as const) {
    const said = await say(["tool-calls", "answer", "c-1", option, value], { parts });
    expect(said).toMatchObject({ code: 0, stdout: "You are in Lisbon.\n" });
  }
  expect(given).toEqual([
    ["c-1", { output: { place: "Lisbon" } }],
    ["c-1", { output: null }],
    ["c-1", { error: "no signal" }],
  ]);
});

test.each([[[]], [["--output", "Lisbon"]], [["--output", "1", "--error", "x"]]])(
  "refuses a result that is none: %p",
  async (options) => {
    const said = await say(["tool-calls", "answer", "c-1", ...options], { parts: daemonParts({}) });
    expect(said.code).toBe(2);
  },
);

test("a run that waits for its caller says how to continue", async () => {
  const parts = daemonParts({ run: () => Promise.reject(toolResultAwaited(awaited)) });
  const said = await say(["run", "guide", "Where am I?", "--no-stream"], { parts });
  expect(said.code).toBe(1);
  expect(said.stderr).toContain('carry out locate with {"exact":true}');
  expect(said.stderr).toContain("argosy tool-calls answer c-1");
});
