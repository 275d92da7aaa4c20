import { expect, test } from "bun:test";
import { type PlayFrame, textOf } from "../../../../src/console/runs/run-state.ts";
import {
  createConversation,
  type PlayedRun,
  type PlaygroundConversation,
} from "../../../../src/console/studio/playground/conversation.ts";
import { AppError } from "../../../../src/kit/app-error.ts";

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
  const refusals: AppError[] = [];
  let asked = 0;
  const conversation = createConversation({
    ask: (_agent, _request, signal) => (scripts[asked++] ?? script()).play(signal),
    async *decide(id, verdict) {
      decisions.push(`${verdict} ${id}`);
      const refusal = refusals.shift();
      if (refusal !== undefined) throw refusal;
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
  return { conversation, scripts, draws, over, decisions, refusals };
}

const ask = (conversation: PlaygroundConversation, lanes = 1) =>
  conversation.ask(
    "Hello?",
    Array.from({ length: lanes }, (_, lane) => ({ lane, agent: `a${lane}`, request: { query: "Hello?" } })),
  );
const runsOf = (conversation: PlaygroundConversation) => conversation.read().flatMap(({ runs }) => runs);
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

test("a decision is sent, and the run continues", async () => {
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
  conversation.decide(key, "reject", { comment: "No." });
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
  conversation.decide("mine", "approve", {});
  await settle();
  expect(decisions).toEqual(["approve ap-9"]);
});

const gate: PlayFrame & { type: "approval_required" } = {
  type: "approval_required",
  approval_id: "ap-3",
  session_id: "s",
  agent: "clerk",
  tool: "gate",
  expires_at: "2026-03-01T00:00:00.000Z",
};

test.each(["approval_decided", "approval_expired"] as const)(
  "a decision refused with %s leaves no mark and is not a failure of the run",
  async (code) => {
    const { conversation, refusals, over, decisions } = stage();
    refusals.push(new AppError("conflict", code, "Too late."));
    conversation.adopt("mine", gate);
    conversation.decide("mine", "approve", { comment: "Go on." });
    await settle();
    const [run] = runsOf(conversation);
    expect(run?.state).toMatchObject({ phase: "taken", parts: [], taken: { code, awaited: gate } });
    expect(run?.state.failure).toBeUndefined();
    // Pages read the approval anew.
    expect(over.map(({ state }) => state.phase)).toEqual(["taken"]);
    conversation.decide("mine", "reject", {});
    expect(decisions).toEqual(["approve ap-3"]);
  },
);

test("a decision that the server did nothing with can be made again", async () => {
  const { conversation, refusals, decisions } = stage();
  const refusal = new AppError("conflict", "agent_changed", "The agent has changed.");
  refusals.push(refusal);
  conversation.adopt("mine", gate);
  conversation.decide("mine", "approve", {});
  await settle();
  expect(runsOf(conversation)[0]?.state).toMatchObject({
    phase: "waiting",
    awaited: gate,
    refused: refusal,
    parts: [],
  });
  conversation.decide("mine", "reject", {});
  expect(runsOf(conversation)[0]?.state.refused).toBeUndefined();
  await settle();
  expect(decisions).toEqual(["approve ap-3", "reject ap-3"]);
});

test("a resumed run that fails keeps the decision", async () => {
  const { conversation, refusals } = stage();
  refusals.push(new AppError("payment_required", "budget_exceeded", "The budget is used up."));
  conversation.adopt("mine", gate);
  conversation.decide("mine", "approve", {});
  await settle();
  expect(runsOf(conversation)[0]?.state).toMatchObject({ phase: "failed", parts: [{ kind: "decision" }] });
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
  conversation.decide(key, "approve", {});
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
