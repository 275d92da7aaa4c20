import { expect, test } from "bun:test";
import { readSse } from "../../../../../src/kit/fetch/sse.ts";
import { newId } from "../../../../../src/kit/id.ts";
import { pausedRun, pausing } from "../../../../support/paused-run.ts";
import { countersOf, invocationsOf } from "../../../../support/platform-agent.ts";
import { ended, type RuntimeScript } from "../../../../support/staged-runtime.ts";
import { onEachEngine } from "../../../../support/storage-engines.ts";

type Paused = Awaited<ReturnType<typeof pausedRun>>;

/** Decides on the paused call and requests its events. */
function decide({ url, owner, paused }: Paused, verdict = "approve", signal?: AbortSignal) {
  return fetch(`${url}/api/v1/approvals/${paused.body.approval_id}/${verdict}`, {
    method: "POST",
    headers: { ...owner.asProgram, accept: "text/event-stream", "content-type": "application/json" },
    body: JSON.stringify({ comment: "as agreed" }),
    ...(signal && { signal }),
  });
}

async function framesOf(response: Response): Promise<Record<string, unknown>[]> {
  expect(response.headers.get("content-type")).toBe("text/event-stream");
  const frames: Record<string, unknown>[] = [];
  if (response.body === null) return frames;
  for await (const batch of readSse(response.body)) for (const data of batch) frames.push(JSON.parse(data));
  return frames;
}

const says: RuntimeScript = async function* () {
  yield { type: "token", content: "It is " };
  yield { type: "token", content: "done." };
  yield ended();
};

onEachEngine("the event stream of a decision", (engine) => {
  test.each([
    ["approve", "approved"],
    ["reject", "rejected"],
  ])("%s shows what follows the call and ends with one done, charged as any run", async (verdict, past) => {
    await using platform = await pausedRun(engine);
    platform.runtime.plays(says);
    const { invocation_id, session_id } = platform.paused.body;
    const frames = await framesOf(await decide(platform, verdict));
    expect(frames).toMatchObject([
      { type: "token", content: "It is " },
      { type: "token", content: "done." },
      {
        type: "done",
        invocation_id,
        session_id: expect.any(String),
        status: "ok",
        usage: { tokens_in: 200, tokens_out: 40 },
        credits_charged_micros: 240,
      },
    ]);
    expect(session_id).toBeString();
    expect(platform.runtime.decisions).toMatchObject([
      { decision: { run_id: invocation_id, verdict: past, comment: "as agreed", stream: true } },
    ]);
    expect(await invocationsOf(platform)).toMatchObject([{ status: "ok", chargedMicros: 240 }]);
    expect(await countersOf(platform)).toMatchObject([{ heldMicros: 0, chargedMicros: 240 }]);
  });

  test("its done frame has the fields of the synchronous answer", async () => {
    await using streamed = await pausedRun(engine);
    await using whole = await pausedRun(engine);
    const { type, invocation_id, session_id, ...done } =
      (await framesOf(await decide(streamed))).at(-1) ?? {};
    const { invocation_id: _, session_id: __, ...answer } = (await whole.decide("approve")).body;
    expect({ type, ...done }).toEqual({ type: "done", ...answer });
    expect([invocation_id, session_id]).toEqual([expect.any(String), expect.any(String)]);
  });

  test("a run that pauses again ends it with approval_required, once", async () => {
    await using platform = await pausedRun(engine);
    const next = newId();
    platform.runtime.plays(async function* () {
      yield { type: "token", content: "Wait." };
      yield pausing(next);
    });
    const frames = await framesOf(await decide(platform));
    expect(frames.map(({ type }) => type)).toEqual(["token", "approval_required"]);
    expect(frames[1]).toMatchObject({ approval_id: next, status: "awaiting_approval" });
  });

  test.each<[string, RuntimeScript, object, number]>([
    [
      "fails",
      async function* () {
        yield { type: "token", content: "It" };
        yield ended({ outcome: "error", error: { code: "provider_failed", status: 502, message: "no" } });
      },
      { status: "error", error_code: "provider_failed", message: "no" },
      240,
    ],
    [
      "breaks off",
      async function* () {
        yield { type: "token", content: "It" };
        throw new Error("connection reset");
      },
      { status: "error", error_code: "runtime_failed" },
      0,
    ],
  ])(
    "a run that %s ends it with one error, charged for what it is known to have used",
    async (_, script, expected, chargedMicros) => {
      await using platform = await pausedRun(engine);
      platform.runtime.plays(script);
      const frames = await framesOf(await decide(platform));
      expect(frames.map(({ type }) => type)).toEqual(["token", "error"]);
      expect(frames[1]).toMatchObject(expected);
      expect(await invocationsOf(platform)).toMatchObject([{ status: "error", chargedMicros }]);
      expect(await countersOf(platform)).toMatchObject([{ heldMicros: 0, chargedMicros }]);
    },
  );

  test("what can't be decided is 409 or 429, without an event", async () => {
    await using platform = await pausedRun(engine, { rate: 1000, plan: { maxRpm: 1 } });
    const limited = await decide(platform);
    expect(limited.status).toBe(429);
    expect(await limited.json()).toMatchObject({ error: "rate_limited" });
    await platform.clock.advance(60_000);
    await framesOf(await decide(platform));
    const again = await decide(platform, "reject");
    expect(again.status).toBe(409);
    expect(await again.json()).toMatchObject({ error: "approval_decided" });
    expect(platform.runtime.decisions).toHaveLength(1);
  });

  test("a reader who leaves leaves the run to its end, charged", async () => {
    await using platform = await pausedRun(engine);
    const hasLeft = Promise.withResolvers<void>();
    platform.runtime.plays(async function* () {
      yield { type: "token", content: "It is " };
      await hasLeft.promise;
      yield { type: "token", content: "done." };
      yield ended();
    });
    const leaving = new AbortController();
    const response = await decide(platform, "approve", leaving.signal);
    await response.body?.getReader().read();
    leaving.abort();
    hasLeft.resolve();
    let [run] = await invocationsOf(platform);
    while (run?.status === "in_progress") {
      await new Promise((resolve) => setImmediate(resolve));
      [run] = await invocationsOf(platform);
    }
    expect(run).toMatchObject({ status: "ok", chargedMicros: 240, tokensIn: 200 });
    expect(platform.runtime.cancelled).toEqual([]);
    expect(await countersOf(platform)).toMatchObject([{ heldMicros: 0, chargedMicros: 240 }]);
  });
});
