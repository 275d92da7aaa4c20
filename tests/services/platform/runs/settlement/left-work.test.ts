import { describe, expect, test } from "bun:test";
import type { RuntimeFrame } from "../../../../../src/contracts/runtime/client.ts";
import type { RunEnded } from "../../../../../src/contracts/runtime/runs.ts";
import { endingAfter } from "../../../../../src/services/platform/runs/settlement/run-outcome.ts";
import { countersOf, invocationsOf, platformWithAgent } from "../../../../support/platform-agent.ts";
import { openRunSocket } from "../../../../support/platform-stream.ts";
import { ended } from "../../../../support/staged-runtime.ts";
import { onEachEngine } from "../../../../support/storage-engines.ts";

/** 120 tokens at 1,000 micros per 1,000 tokens. */
const price = 120;
const down = (change: Partial<RunEnded> = {}) =>
  ended({
    outcome: "error",
    error: { code: "no_provider_available", status: 503, message: "It is down.", fault: "service" },
    ...change,
  });
const step: RuntimeFrame = { type: "step", name: "step 1", content: "The work." };

const surfaces: Record<string, { stream: boolean; accept: string }> = {
  "a synchronous run": { stream: false, accept: "application/json" },
  "a run with server-sent events": { stream: true, accept: "text/event-stream" },
};

onEachEngine("a run that the service's own fault ended", (engine) => {
  /** The frames before the end, whether something else has left, and what the run costs on a stream and without. */
  const rows: [title: string, frames: RuntimeFrame[], left: boolean, streamed: number, whole: number][] = [
    ["nothing has left", [], false, 0, 0],
    ["text was sent", [{ type: "token", content: "The w" }], false, price, 0],
    ["a step was sent", [step], false, price, 0],
    [
      "the input of a call was sent",
      [{ type: "tool_call", id: "1", tool: "look", input: { a: 1 } }],
      false,
      price,
      0,
    ],
    [
      "a guardrail's frame was sent",
      [{ type: "guardrail", guardrail: "pii", stage: "input", outcome: "passed", hits: 0 }],
      false,
      0,
      0,
    ],
    ["a tool has acted", [], true, price, price],
    ["a step was sent and a tool has acted", [step], true, price, price],
  ];
  for (const [surface, { stream, accept }] of Object.entries(surfaces)) {
    test.each(rows)(`${surface}, %s: it costs what has left`, async (_, frames, left, streamed, whole) => {
      await using platform = await platformWithAgent(engine, { rate: 1000 });
      const { runtime, owner } = platform;
      runtime.plays(async function* () {
        yield* frames;
        yield down(left ? { left } : {});
      });
      const response = await fetch(`${platform.url}/api/v1/agents/support/run`, {
        method: "POST",
        headers: { ...owner.asProgram, accept, "content-type": "application/json" },
        body: '{"query":"hi"}',
      });
      await response.text();
      const charged = stream ? streamed : whole;
      expect(await invocationsOf(platform)).toMatchObject([
        {
          status: "error",
          errorCode: "no_provider_available",
          chargedMicros: charged,
          unchargedCostMicros: 0,
        },
      ]);
      expect(await countersOf(platform)).toMatchObject([
        { chargedMicros: charged, heldMicros: 0, cancelledCostMicros: 0 },
      ]);
    });
  }

  test("over a WebSocket, after a step, it costs what it used", async () => {
    await using platform = await platformWithAgent(engine, { rate: 1000 });
    platform.runtime.plays(async function* () {
      yield step;
      yield down();
    });
    const socket = await openRunSocket(
      platform.url,
      "/api/v1/agents/support/run/stream?query=hi",
      platform.owner.asProgram,
    );
    expect((await socket.rest()).map(({ type }) => type)).toEqual(["step", "error"]);
    expect(await invocationsOf(platform)).toMatchObject([{ status: "error", chargedMicros: price }]);
  });
});

describe("what is charged", () => {
  const cancelled = down({ outcome: "cancelled" });
  test.each<[string, RunEnded, Parameters<typeof endingAfter>[2], boolean, boolean]>([
    ["a fault of the service, with nothing left", down(), undefined, false, false],
    ["a fault of the service, with frames sent", down(), undefined, true, true],
    ["a stop of this process, with frames sent", cancelled, "shutdown", true, true],
    ["a stop of this process, with nothing left", cancelled, "shutdown", false, false],
    [
      "a run that its caller cancelled",
      ended({ outcome: "cancelled", left: true }),
      "cancelled",
      true,
      false,
    ],
    ["a run out of time", ended({ outcome: "timeout", left: true }), undefined, true, false],
    ["an answer", ended(), undefined, false, true],
    [
      "a run that waits",
      ended({ outcome: "awaiting_approval", approval_id: "a", left: true }),
      undefined,
      true,
      false,
    ],
  ])("%s", (_, last, stopped, wasSent, isCharged) => {
    expect(endingAfter(last, undefined, stopped, wasSent).isCharged).toBe(isCharged);
  });
});
