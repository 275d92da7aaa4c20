import { expect, test } from "bun:test";
import { type PlayFrame, textOf } from "../../../../src/console/runs/run-state.ts";
import {
  type Conversation,
  createConversation,
  type PlayedRun,
} from "../../../../src/console/studio/playground/conversation.ts";

/** Frames that a test emits one by one. */
function script() {
  const frames: PlayFrame[] = [];
  let wake = () => {};
  let isOver = false;
  return {
    tell(...told: PlayFrame[]) {
      frames.push(...told);
      wake();
    },
    end() {
      isOver = true;
      wake();
    },
    async *play(signal: AbortSignal): AsyncGenerator<PlayFrame> {
      signal.addEventListener("abort", () => wake());
      while (true) {
        signal.throwIfAborted();
        const frame = frames.shift();
        if (frame !== undefined) yield frame;
        else if (isOver) return;
        else
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
      }
    },
  };
}

function stage() {
  const scripts = [script(), script()];
  const draws: (() => void)[] = [];
  const over: PlayedRun[] = [];
  const decisions: string[] = [];
  let asked = 0;
  const conversation = createConversation({
    ask: (_agent, _request, signal) => (scripts[asked++] ?? script()).play(signal),
    async *decide(id, verdict) {
      decisions.push(`${verdict} ${id}`);
      yield { type: "token", content: "Decided." };
    },
    async *sendResult(id, result) {
      decisions.push(`${id} ${JSON.stringify(result)}`);
      yield { type: "error", error: "gone", message: "Gone." };
    },
    schedule: (flush) => draws.push(flush),
    nowMs: () => 7,
    settled: (run) => over.push(run),
  });
  return { conversation, scripts, draws, over, decisions };
}

const ask = (conversation: Conversation, lanes = 1) =>
  conversation.ask(
    "Hello?",
    Array.from({ length: lanes }, (_, lane) => ({ lane, agent: `a${lane}`, request: { query: "Hello?" } })),
  );
const runsOf = (conversation: Conversation) => conversation.read().flatMap(({ runs }) => runs);
const settle = () => new Promise<void>((resolve) => setImmediate(resolve));
const token = (content: string): PlayFrame => ({ type: "token", content });

test("frames wait until the page is drawn, and are drawn at once", async () => {
  const { conversation, scripts, draws } = stage();
  let told = 0;
  conversation.subscribe(() => told++);
  ask(conversation);
  expect(told).toBe(1);
  scripts[0]?.tell(token("a"), token("b"), token("c"));
  await settle();
  expect(draws).toHaveLength(1);
  expect(textOf(runsOf(conversation)[0]?.state ?? fail())).toBe("");
  draws[0]?.();
  expect(told).toBe(2);
  expect(textOf(runsOf(conversation)[0]?.state ?? fail())).toBe("abc");
});

test("both columns are asked at once, and each has its own answer", async () => {
  const { conversation, scripts, draws } = stage();
  ask(conversation, 2);
  scripts[1]?.tell(token("second"));
  scripts[0]?.tell(token("first"));
  await settle();
  for (const draw of draws) draw();
  expect(conversation.read()).toHaveLength(1);
  expect(runsOf(conversation).map(({ agent, state }) => [agent, textOf(state)])).toEqual([
    ["a0", "first"],
    ["a1", "second"],
  ]);
});

test("a run whose frames end too early has failed", async () => {
  const { conversation, scripts, over } = stage();
  ask(conversation);
  scripts[0]?.tell(token("half"));
  scripts[0]?.end();
  await settle();
  expect(over.map(({ state }) => state.phase)).toEqual(["failed"]);
  expect(textOf(runsOf(conversation)[0]?.state ?? fail())).toBe("half");
});

test("stopping ends one run and leaves the other", async () => {
  const { conversation } = stage();
  ask(conversation, 2);
  conversation.stop(runsOf(conversation)[1]?.key);
  await settle();
  expect(runsOf(conversation).map(({ state }) => state.phase)).toEqual(["running", "stopped"]);
  conversation.stop();
  await settle();
  expect(runsOf(conversation).map(({ state }) => state.phase)).toEqual(["stopped", "stopped"]);
});

test("a decision is sent, and the run goes on", async () => {
  const { conversation, scripts, decisions, over } = stage();
  ask(conversation);
  scripts[0]?.tell({
    type: "approval_required",
    approval_id: "ap-1",
    session_id: "s",
    agent: "a0",
    tool: "t",
    expires_at: "2026-03-01T00:00:00.000Z",
  });
  scripts[0]?.end();
  await settle();
  const key = runsOf(conversation)[0]?.key ?? "";
  expect(over.map(({ state }) => state.phase)).toEqual(["waiting"]);
  conversation.sendResult(key, { output: 1 });
  expect(decisions).toEqual([]);
  conversation.decide(key, "reject", "No.");
  await settle();
  expect(decisions).toEqual(["reject ap-1"]);
  expect(runsOf(conversation)[0]?.state.parts).toEqual([
    { kind: "decision", tool: "t", verdict: "reject", comment: "No." },
    { kind: "text", text: "Decided." },
  ]);
});

test("a run that waits already is taken up once, and decided on", async () => {
  const { conversation, decisions } = stage();
  const awaited = {
    type: "approval_required" as const,
    approval_id: "ap-9",
    session_id: "s",
    agent: "clerk",
    tool: "t",
    expires_at: "2026-03-01T00:00:00.000Z",
  };
  conversation.adopt("mine", awaited);
  conversation.adopt("mine", awaited);
  expect(runsOf(conversation).map(({ agent, state }) => [agent, state.phase])).toEqual([
    ["clerk", "waiting"],
  ]);
  conversation.decide("mine", "approve", "");
  await settle();
  expect(decisions).toEqual(["approve ap-9"]);
});

test("what the caller carried out is handed in", async () => {
  const { conversation, scripts, decisions } = stage();
  ask(conversation);
  scripts[0]?.tell({
    type: "tool_result_required",
    call_id: "c-1",
    session_id: "s",
    agent: "a0",
    tool: "t",
    input: {},
    expires_at: "2026-03-01T00:00:00.000Z",
  });
  scripts[0]?.end();
  await settle();
  const key = runsOf(conversation)[0]?.key ?? "";
  conversation.decide(key, "approve", "");
  expect(decisions).toEqual([]);
  conversation.sendResult(key, { output: 4711 });
  await settle();
  expect(decisions).toEqual(['c-1 {"output":4711}']);
  expect(runsOf(conversation)[0]?.state.failure?.code).toBe("gone");
});

test("a cleared conversation forgets what comes late", async () => {
  const { conversation, scripts, draws, over } = stage();
  ask(conversation);
  conversation.clear();
  scripts[0]?.tell(token("late"));
  await settle();
  for (const draw of draws) draw();
  expect(conversation.read()).toEqual([]);
  expect(over).toEqual([]);
});

function fail(): never {
  throw new Error("There is no run.");
}
