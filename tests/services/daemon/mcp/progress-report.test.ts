import { expect, test } from "bun:test";
import fc from "fast-check";
import type { RunEvent } from "../../../../src/engine/run-state/run-event.ts";
import { createProgressReport } from "../../../../src/services/daemon/mcp/progress-report.ts";
import type { RpcContext } from "../../../../src/services/daemon/mcp/rpc-context.ts";
import { FakeClock } from "../../../support/fake-clock.ts";

type Sent = { progressToken: string | number; progress: number; message: string; _meta: object };

function setUp(signal = new AbortController().signal) {
  const clock = new FakeClock();
  const sent: Sent[] = [];
  const notify: RpcContext["notify"] = async ({ params }) => void sent.push(params as Sent);
  const report = createProgressReport("token", { notify, signal, deps: { clock } });
  return { clock, sent, report, messages: () => sent.map(({ message }) => message) };
}

const token = (content: string): RunEvent => ({ type: "token", content });

test("the first piece goes at once, the next ones five times a second at most", async () => {
  const { clock, report, messages } = setUp();
  report.add(token("a"));
  expect(messages()).toEqual(["a"]);
  report.add(token("b"));
  await clock.advance(199);
  report.add(token("c"));
  expect(messages()).toEqual(["a"]);
  await clock.advance(1);
  expect(messages()).toEqual(["a", "bc"]);
  await clock.advance(200);
  report.add(token("d"));
  expect(messages()).toEqual(["a", "bc", "d"]);
});

test("a silent call reports progress every 10 s until it has ended", async () => {
  const { clock, report, messages } = setUp();
  await clock.advance(10_000);
  await clock.advance(10_000);
  expect(messages()).toEqual(["Still at work.", "Still at work."]);
  report.add(token("a"));
  await clock.advance(9999);
  expect(messages()).toHaveLength(3);
  report.end();
  expect(clock.pending).toBe(0);
});

test("the progress of tools is relayed, of each tool five times a second at most", async () => {
  const { clock, report, messages } = setUp();
  report.tool({ tool: "lab__read", done: 1, total: 4, message: "Page 1" });
  report.tool({ tool: "lab__read", done: 2, total: 4 });
  report.tool({ tool: "lab__other", done: 7 });
  await clock.advance(200);
  report.tool({ tool: "lab__read", done: 3, total: 4, message: "m".repeat(2000) });
  expect(messages()).toEqual([
    "lab__read: Page 1 (1 of 4)",
    "lab__other: 7",
    `lab__read: ${"m".repeat(1000)}… (3 of 4)`,
  ]);
});

test("a burst is sent when it has grown large, before its time", () => {
  const { report, messages } = setUp();
  report.add(token("a"));
  report.add(token("b".repeat(1999)));
  expect(messages()).toHaveLength(1);
  report.add(token("c"));
  expect(messages()).toEqual(["a", `${"b".repeat(1999)}c`]);
});

const told: { name: string; event: RunEvent; message: string }[] = [
  {
    name: "a tool call, without its input",
    event: { type: "tool_call", id: "1", tool: "search", input: { key: "secret" } },
    message: "Calls search.",
  },
  {
    name: "a result, without what it holds",
    event: { type: "tool_result", id: "1", tool: "search", ok: true, output: "secret" },
    message: "search answered.",
  },
  {
    name: "a failed tool",
    event: { type: "tool_result", id: "1", tool: "search", ok: false, output: "secret" },
    message: "search failed.",
  },
  { name: "a step", event: { type: "step", name: "plan", content: "Look." }, message: "plan: Look." },
  {
    name: "a long step",
    event: { type: "step", name: "plan", content: "x".repeat(5000) },
    message: `plan: ${"x".repeat(1000)}…`,
  },
  {
    name: "a step cut inside a character",
    event: { type: "step", name: "plan", content: `${"x".repeat(999)}😀` },
    message: `plan: ${"x".repeat(999)}\ufffd…`,
  },
  {
    name: "a hand-off",
    event: { type: "handoff", from: "ann", to: "bob" },
    message: "ann hands over to bob.",
  },
  {
    name: "a guardrail",
    event: { type: "guardrail", guardrail: "pii_detection", stage: "input", outcome: "redacted", hits: 1 },
    message: "pii_detection (input): redacted.",
  },
];

test.each(told)("$name is reported after the text before it", ({ event, message }) => {
  const { report, sent, messages } = setUp();
  report.add(token("a"));
  report.add(token("b"));
  report.add(event);
  expect(messages()).toEqual(["a", "b", message]);
  expect(sent.at(-1)).toEqual({
    progressToken: "token",
    progress: 3,
    message,
    _meta: { "argosy/event": event.type },
  });
});

test("after the end nothing runs, and a cancelled call gets no further report", async () => {
  const stopping = new AbortController();
  const { clock, report, messages } = setUp(stopping.signal);
  report.add(token("a"));
  report.add(token("b"));
  stopping.abort();
  report.end();
  expect(messages()).toEqual(["a"]);
  expect(clock.pending).toBe(0);
});

test("for any events, the joined pieces are the text, and progress only grows", async () => {
  const step = fc.oneof(
    fc.string({ minLength: 1, maxLength: 1500 }).map(token),
    fc.constant<RunEvent>({ type: "step", name: "s", content: "" }),
    fc.nat({ max: 500 }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
      const { clock, report, sent } = setUp();
      for (const one of steps) {
        if (typeof one === "number") await clock.advance(one);
        else report.add(one);
      }
      report.end();
      const said = steps.flatMap((one) =>
        typeof one !== "number" && one.type === "token" ? [one.content] : [],
      );
      const pieces = sent.filter(({ _meta }) => "argosy/event" in _meta && _meta["argosy/event"] === "token");
      expect(pieces.map(({ message }) => message).join("")).toBe(said.join(""));
      expect(sent.map(({ progress }) => progress)).toEqual(sent.map((_, at) => at + 1));
      expect(clock.pending).toBe(0);
    }),
    { numRuns: 100 },
  );
});
