import { describe, expect, test } from "bun:test";
import {
  messageWithAnswers,
  type Pipeline,
  pipelineOf,
} from "../../../src/console/gateway/phone/pipeline.ts";
import type { Trace } from "../../../src/contracts/daemon/runs/run.ts";
import type { TrailEvent, TrailMessage } from "../../../src/contracts/gateway/trail.ts";
import type { AdminInvocationDetail } from "../../../src/contracts/platform/admin.ts";

const at = (ms: number) => new Date(Date.UTC(2026, 0, 1) + ms).toISOString();

const trailMessage = (id: string, direction: "inbound" | "outbound", events: TrailEvent[]): TrailMessage => ({
  message_id: id,
  tenant_id: "t",
  channel: "phone_messenger",
  account_id: "a",
  direction,
  trace_id: "0123456789abcdef0123456789abcdef",
  address: "ana",
  channel_message_id: `p-${id}`,
  events,
});

const inbound = (...events: TrailEvent[]) =>
  trailMessage("in", "inbound", [{ at: at(0), event: "received" }, ...events]);
const run = (outcome: string): TrailEvent => ({
  at: at(900),
  event: "closed",
  details: { outcome },
});
const answer = (...events: TrailEvent[]) =>
  trailMessage("out", "outbound", [{ at: at(900), event: "queued" }, ...events]);

const invocation = { started_at: at(40), credits_charged_micros: 2_500_000 } as AdminInvocationDetail;
const span = (name: string, startMs: number, durationMs: number, attributes = {}) => ({
  name,
  span_id: `${name}${startMs}`,
  start_time: at(startMs),
  end_time: at(startMs + durationMs),
  duration_ms: durationMs,
  attributes,
  status: "OK" as const,
});
const trace = {
  spans: [
    span("agent.run", 40, 800),
    span("memory.load", 50, 10),
    span("llm.complete", 60, 500, { model: "m1" }),
    span("tool.call", 560, 100, { tool: "clock" }),
    span("llm.complete", 660, 100, { model: "m1" }),
  ],
} as unknown as Trace;

const states = ({ stages }: Pipeline) => Object.fromEntries(stages.map(({ name, state }) => [name, state]));
const stage = ({ stages }: Pipeline, wanted: string) => stages.find(({ name }) => name === wanted);

describe("the steps of a message", () => {
  test("that just arrived: its agent runs, and nothing is sent yet", () => {
    const pipeline = pipelineOf({
      message: inbound(),
      answers: [],
      invocation: undefined,
      trace: undefined,
      seesRuns: true,
    });
    expect(states(pipeline)).toEqual({
      webhook: "done",
      inbox: "done",
      guardrails: "active",
      memory: "active",
      model: "active",
      tools: "active",
      outbox: "waiting",
      receipt: "waiting",
    });
    expect(pipeline.isOpen).toBe(true);
  });

  test("that was answered and read: times, calls and credits", () => {
    const pipeline = pipelineOf({
      message: inbound(run("answered")),
      answers: [
        answer(
          { at: at(950), event: "sent" },
          { at: at(990), event: "delivered" },
          { at: at(1000), event: "read" },
        ),
      ],
      invocation,
      trace,
      seesRuns: true,
    });
    expect(states(pipeline)).toEqual({
      webhook: "done",
      inbox: "done",
      guardrails: "skipped",
      memory: "done",
      model: "done",
      tools: "done",
      outbox: "done",
      receipt: "done",
    });
    expect(stage(pipeline, "inbox")?.durationMs).toBe(40);
    expect(stage(pipeline, "model")).toMatchObject({
      startMs: 60,
      durationMs: 600,
      creditsMicros: 2_500_000,
      note: { kind: "calls", count: 2, subjects: ["m1"] },
    });
    expect(stage(pipeline, "outbox")).toMatchObject({ startMs: 900, durationMs: 50 });
    expect(stage(pipeline, "receipt")?.note).toEqual({ kind: "receipt", event: "read" });
    expect(pipeline).toMatchObject({ totalMs: 1000, isOpen: false, creditsMicros: 2_500_000 });
  });

  test.each(["human", "unbound", "limited", "stale"])(
    "that no agent answers (%s) is held in the inbox",
    (outcome) => {
      const pipeline = pipelineOf({
        message: inbound({ at: at(20), event: "closed", details: { outcome } }),
        answers: [],
        invocation: undefined,
        trace: undefined,
        seesRuns: true,
      });
      expect(stage(pipeline, "inbox")).toMatchObject({ state: "held", note: { kind: "outcome", outcome } });
      expect(stage(pipeline, "model")?.state).toBe("skipped");
      expect(pipeline.isOpen).toBe(false);
    },
  );

  test("whose answer waits for the provider is held in the outbox, with the reason", () => {
    const pipeline = pipelineOf({
      message: inbound(run("answered")),
      answers: [
        answer({ at: at(950), event: "attempt", details: { outcome: "retry", error: "429: Wait." } }),
      ],
      invocation,
      trace,
      seesRuns: true,
    });
    expect(stage(pipeline, "outbox")).toMatchObject({
      state: "held",
      note: { kind: "error", error: "429: Wait." },
    });
    expect(stage(pipeline, "receipt")?.state).toBe("waiting");
  });

  test("whose answer was refused for good ends there", () => {
    const error = "131047: closed";
    const pipeline = pipelineOf({
      message: inbound(run("answered")),
      answers: [
        answer(
          { at: at(950), event: "attempt", details: { outcome: "final", error } },
          { at: at(950), event: "failed" },
        ),
      ],
      invocation,
      trace,
      seesRuns: true,
    });
    expect(stage(pipeline, "outbox")?.state).toBe("failed");
    expect(stage(pipeline, "receipt")?.state).toBe("skipped");
  });

  test("whose run failed shows it at the model", () => {
    const pipeline = pipelineOf({
      message: inbound(run("failed")),
      answers: [],
      invocation: undefined,
      trace: undefined,
      seesRuns: true,
    });
    expect(stage(pipeline, "model")?.state).toBe("failed");
    expect(stage(pipeline, "outbox")?.state).toBe("skipped");
  });

  test("for a session without access to runs has the gateway's own steps", () => {
    const pipeline = pipelineOf({
      message: inbound(run("answered")),
      answers: [answer({ at: at(950), event: "sent" })],
      invocation: undefined,
      trace: undefined,
      seesRuns: false,
    });
    expect(stage(pipeline, "model")).toMatchObject({ state: "done", note: { kind: "no_trace" } });
    expect(stage(pipeline, "outbox")?.state).toBe("done");
  });
});

test("a trail is split into the message and its own answers, the oldest first", () => {
  const message = inbound(
    { at: at(1), event: "answered", related_id: "o1" },
    { at: at(1), event: "answered", related_id: "o2" },
  );
  const of = (id: string) => trailMessage(id, "outbound", []);
  const split = messageWithAnswers([of("o3"), of("o2"), of("o1"), message], "p-in");
  expect(split?.answers.map(({ message_id }) => message_id)).toEqual(["o1", "o2"]);
  expect(messageWithAnswers([of("o1")], "p-in")).toBeUndefined();
});
