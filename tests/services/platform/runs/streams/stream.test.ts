import { expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { readSse } from "../../../../../src/kit/fetch/sse.ts";
import {
  countersOf,
  invocationsOf,
  type PlatformWithAgent,
  platformWithAgent,
  type StagedLimits,
} from "../../../../support/platform-agent.ts";
import { openRunSocket, refusedHandshake } from "../../../../support/platform-stream.ts";
import { ended, type RuntimeScript } from "../../../../support/staged-runtime.ts";
import { onEachEngine } from "../../../../support/storage-engines.ts";

const path = "/api/v1/agents/support/run/stream?query=hi";

/** Says a word, waits until it is cancelled, and reports its usage. */
const waitsForCancel: RuntimeScript = async function* (_, cancelled) {
  yield { type: "token", content: "Hel" };
  await new Promise<void>((resolve) => cancelled.addEventListener("abort", () => resolve(), { once: true }));
  yield ended({ outcome: "cancelled" });
};

const isTerminal = ({ type }: { type?: unknown }) =>
  type === "done" || type === "error" || type === "approval_required";

/** Returns the only run, once it is recorded as ended. */
async function endedRun(platform: PlatformWithAgent) {
  for (;;) {
    const [run] = await invocationsOf(platform);
    if (run !== undefined && run.status !== "in_progress") return run;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

async function readEvents(platform: PlatformWithAgent, headers: Record<string, string> = {}) {
  const response = await fetch(`${platform.url}/api/v1/agents/support/run`, {
    method: "POST",
    headers: { ...platform.owner.asProgram, accept: "text/event-stream", ...headers },
    body: JSON.stringify({ query: "hi" }),
  });
  const frames: Record<string, unknown>[] = [];
  if (response.body !== null) {
    for await (const batch of readSse(response.body)) for (const data of batch) frames.push(JSON.parse(data));
  }
  return { response, frames };
}

onEachEngine("a streamed run", (engine) => {
  test("shows the frames as they come and ends with exactly one done", async () => {
    await using platform = await platformWithAgent(engine);
    const socket = await openRunSocket(platform.url, `${path}&session_id=s`, platform.owner.asProgram);
    const frames = await socket.rest();
    expect(frames.map(({ type }) => type)).toEqual(["token", "done"]);
    const [run] = await invocationsOf(platform);
    expect(frames[1]).toMatchObject({ invocation_id: run?.id, status: "ok", answer: "Hello there." });
    expect(await socket.closed).toBe(1000);
    expect(run).toMatchObject({ status: "ok", sessionId: "s" });
  });

  test("the done frame has the fields of the synchronous answer", async () => {
    await using platform = await platformWithAgent(engine);
    const { frames, response } = await readEvents(platform);
    const once = await platform.call("POST", "/api/v1/agents/support/run", {
      headers: platform.owner.asProgram,
      body: { query: "hi" },
    });
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    const { type, invocation_id: _id, ...rest } = frames.at(-1) ?? {};
    const { invocation_id: _other, ...answer } = once.body;
    expect({ type, ...rest }).toEqual({ type: "done", ...answer });
    expect(frames.filter(isTerminal)).toHaveLength(1);
  });

  test.each<[string, RuntimeScript, Record<string, unknown>]>([
    [
      "failed",
      async function* () {
        yield ended({ outcome: "error", error: { code: "provider_failed", status: 502, message: "no" } });
      },
      { status: "error", error_code: "provider_failed", message: "no" },
    ],
    [
      "took too long",
      async function* () {
        yield ended({ outcome: "timeout" });
      },
      { status: "timeout", error_code: "run_timeout" },
    ],
    [
      "broke off in the middle",
      async function* () {
        yield { type: "token", content: "Hel" };
        throw new Error("connection reset");
      },
      { status: "error", error_code: "runtime_failed" },
    ],
    [
      "ended without a last word",
      async function* () {
        yield { type: "token", content: "Hel" };
      },
      { status: "error", error_code: "runtime_failed" },
    ],
  ])("one that %s ends with exactly one error frame", async (_, script, expected) => {
    await using platform = await platformWithAgent(engine, { rate: 1000 });
    platform.runtime.plays(script);
    const socket = await openRunSocket(platform.url, path, platform.owner.asProgram);
    const terminal = (await socket.rest()).filter(isTerminal);
    expect(terminal).toMatchObject([{ type: "error", ...expected }]);
    expect(await invocationsOf(platform)).toMatchObject([
      { id: terminal[0]?.invocation_id, status: expected.status, chargedMicros: 0 },
    ]);
    expect(await countersOf(platform)).toMatchObject([{ heldMicros: 0, chargedMicros: 0 }]);
  });

  test("closing the socket cancels the run: recorded with what it used, zero credits, no hold", async () => {
    await using platform = await platformWithAgent(engine, { rate: 1000 });
    platform.runtime.plays(waitsForCancel);
    const socket = await openRunSocket(platform.url, path, platform.owner.asProgram);
    expect(await socket.next()).toMatchObject({ type: "token" });
    socket.close();
    const run = await endedRun(platform);
    expect(run).toMatchObject({
      status: "cancelled",
      chargedMicros: 0,
      tokensIn: 100,
      providerCostMicros: 12,
    });
    expect(platform.runtime.cancelled).toEqual([run.id]);
    expect(await countersOf(platform)).toMatchObject([
      { heldMicros: 0, chargedMicros: 0, cancelledCostMicros: 12 },
    ]);
  });

  test("leaving the event stream cancels the run as well", async () => {
    await using platform = await platformWithAgent(engine);
    platform.runtime.plays(waitsForCancel);
    const leaving = new AbortController();
    const response = await fetch(`${platform.url}/api/v1/agents/support/run`, {
      method: "POST",
      headers: { ...platform.owner.asProgram, accept: "text/event-stream" },
      body: JSON.stringify({ query: "hi" }),
      signal: leaving.signal,
    });
    await response.body?.getReader().read();
    leaving.abort();
    expect(await endedRun(platform)).toMatchObject({ status: "cancelled", chargedMicros: 0 });
  });

  test("leaving the event stream of a run with a key does not cancel it, and the key gets its answer", async () => {
    await using platform = await platformWithAgent(engine, { rate: 1000 });
    const hasLeft = Promise.withResolvers<void>();
    platform.runtime.plays(async function* (run, cancelled) {
      if (!("query" in run && run.query === "hi")) return yield* waitsForCancel(run, cancelled);
      yield { type: "token", content: "Hel" };
      await hasLeft.promise;
      yield { type: "token", content: "lo" };
      yield cancelled.aborted ? ended({ outcome: "cancelled" }) : ended();
    });
    const keyed = { "idempotency-key": "k1" };
    const leave = async (query: string, headers: Record<string, string>) => {
      const leaving = new AbortController();
      const response = await fetch(`${platform.url}/api/v1/agents/support/run`, {
        method: "POST",
        headers: { ...platform.owner.asProgram, accept: "text/event-stream", ...headers },
        body: JSON.stringify({ query }),
        signal: leaving.signal,
      });
      await response.body?.getReader().read();
      leaving.abort();
    };
    await leave("hi", keyed);
    // The server learns of the disconnects in their order, and cancels the run without a key.
    await leave("another", {});
    const cancelledAfter = async () => {
      for (;;) {
        const [, other] = await invocationsOf(platform);
        if (other?.status === "cancelled") return other.id;
        await new Promise((resolve) => setImmediate(resolve));
      }
    };
    const other = await cancelledAfter();
    hasLeft.resolve();
    const { id } = await endedRun(platform);
    expect(await invocationsOf(platform)).toMatchObject([
      { status: "ok", chargedMicros: 120 },
      { id: other },
    ]);
    expect(platform.runtime.cancelled).toEqual([other]);
    const again = await readEvents(platform, keyed);
    expect(again.frames).toMatchObject([{ type: "done", invocation_id: id, answer: "Hello there." }]);
    expect(platform.runtime.runs).toHaveLength(2);
  });

  test("closing the socket of a run with a key cancels it", async () => {
    await using platform = await platformWithAgent(engine);
    platform.runtime.plays(waitsForCancel);
    const socket = await openRunSocket(platform.url, `${path}&idempotency_key=k1`, platform.owner.asProgram);
    await socket.next();
    socket.close();
    expect(await endedRun(platform)).toMatchObject({ status: "cancelled" });
  });

  test("a run whose answer was made before the socket closed stays ok and charged", async () => {
    await using platform = await platformWithAgent(engine, { rate: 1000 });
    platform.runtime.plays(async function* (_, cancelled) {
      yield { type: "token", content: "Hello" };
      await new Promise<void>((resolve) =>
        cancelled.addEventListener("abort", () => resolve(), { once: true }),
      );
      yield ended();
    });
    const socket = await openRunSocket(platform.url, path, platform.owner.asProgram);
    await socket.next();
    socket.close();
    expect(await endedRun(platform)).toMatchObject({ status: "ok", chargedMicros: 120 });
  });

  test("a repeated key sends the finished run's terminal frame again, and runs nothing", async () => {
    await using platform = await platformWithAgent(engine);
    const keyed = `${path}&idempotency_key=k1`;
    const first = await (await openRunSocket(platform.url, keyed, platform.owner.asProgram)).rest();
    const again = await openRunSocket(platform.url, keyed, platform.owner.asProgram);
    expect(await again.rest()).toEqual([first.at(-1) ?? {}]);
    expect(await again.closed).toBe(1000);
    const events = await readEvents(platform, { "idempotency-key": "k1" });
    expect(events.frames).toEqual([first.at(-1) ?? {}]);
    expect(events.response.headers.get("idempotency-replayed")).toBe("true");
    expect(platform.runtime.runs).toHaveLength(1);
  });

  test("a repeated key of a failed run sends its error frame again", async () => {
    await using platform = await platformWithAgent(engine);
    platform.runtime.plays(async function* () {
      yield ended({ outcome: "error", error: { code: "provider_failed", status: 502, message: "no" } });
    });
    const keyed = `${path}&idempotency_key=k1`;
    const first = await (await openRunSocket(platform.url, keyed, platform.owner.asProgram)).rest();
    const again = await (await openRunSocket(platform.url, keyed, platform.owner.asProgram)).rest();
    expect(again).toEqual(first);
    expect(again).toMatchObject([{ type: "error", error_code: "provider_failed" }]);
    expect(platform.runtime.runs).toHaveLength(1);
  });

  test("a key whose run is under way is 409 with when to come back", async () => {
    await using platform = await platformWithAgent(engine);
    platform.runtime.plays(waitsForCancel);
    const keyed = `${path}&idempotency_key=k1`;
    const socket = await openRunSocket(platform.url, keyed, platform.owner.asProgram);
    await socket.next();
    const refused = await refusedHandshake(platform.url, keyed, platform.owner.asProgram);
    expect(refused).toMatchObject({ status: 409, body: { error: "run_in_progress" } });
    expect(refused.headers["retry-after"]).toBe("2");
    socket.close();
    await endedRun(platform);
  });

  test.each<[string, string, Record<string, string> | undefined, number, string]>([
    ["no credential is 401", path, {}, 401, "unauthorized"],
    ["a ticket that nobody gave is 401", `${path}&ticket=x`, {}, 401, "unauthorized"],
    ["no query is 400", path.replace("?query=hi", ""), undefined, 400, "invalid_request"],
    [
      "a control character in the session is 400",
      `${path}&session_id=%07`,
      undefined,
      400,
      "invalid_request",
    ],
    ["a key that is not a key is 400", `${path}&idempotency_key=%C3%A9`, undefined, 400, "invalid_request"],
    [
      "an agent that is not there is 404",
      path.replace("support", "nobody"),
      undefined,
      404,
      "agent_not_found",
    ],
  ])("%s before the upgrade", async (_, asked, headers, status, code) => {
    await using platform = await platformWithAgent(engine);
    const answer = await refusedHandshake(platform.url, asked, headers ?? platform.owner.asProgram);
    expect(answer).toMatchObject({ status, body: { error: code } });
    expect(platform.runtime.runs).toEqual([]);
    expect(await invocationsOf(platform)).toEqual([]);
  });

  test.each<[string, StagedLimits, number, string]>([
    [
      "no credits is 402",
      { rate: 1000, plan: { creditCapPeriodMicros: 10 } },
      402,
      "credit_budget_exhausted",
    ],
    [
      "credits that are blocked is 402",
      { plan: { creditCapPeriodMicros: 0 } },
      402,
      "credit_budget_exhausted",
    ],
    ["no places is 429", { plan: { maxConcurrency: 0 } }, 429, "concurrency_exceeded"],
    ["no runs left in the minute is 429", { plan: { maxRpm: 0 } }, 429, "rate_limited"],
  ])("a tenant with %s before the upgrade, on record", async (_, limits, status, code) => {
    await using platform = await platformWithAgent(engine, limits);
    const answer = await refusedHandshake(platform.url, path, platform.owner.asProgram);
    expect(answer).toMatchObject({ status, body: { error: code } });
    expect(platform.runtime.runs).toEqual([]);
    expect(await invocationsOf(platform)).toMatchObject([{ status: "rejected", errorCode: code }]);
  });

  test("an agent that the runtime can't load is 502 before the upgrade", async () => {
    await using platform = await platformWithAgent(engine);
    platform.runtime.register = async () => {
      throw new Error("connect ECONNREFUSED");
    };
    const answer = await refusedHandshake(platform.url, path, platform.owner.asProgram);
    expect(answer).toMatchObject({ status: 502, body: { error: "runtime_failed" } });
    expect(await invocationsOf(platform)).toEqual([]);
  });

  test("a GET that is not a handshake is 400, and nothing is counted", async () => {
    await using platform = await platformWithAgent(engine);
    const answer = await platform.call("GET", path, { headers: platform.owner.asProgram });
    expect(answer).toMatchObject({ status: 400, body: { error: "websocket_required" } });
    expect(await invocationsOf(platform)).toEqual([]);
  });

  test("a handshake that is 400 after the run was admitted leaves no hold", async () => {
    await using platform = await platformWithAgent(engine, { rate: 1000 });
    const headers = { ...platform.owner.asProgram, "sec-websocket-key": "short" };
    const answer = await refusedHandshake(platform.url, path, headers);
    expect(answer).toMatchObject({ status: 400 });
    for (const { heldMicros, chargedMicros } of await countersOf(platform)) {
      expect([heldMicros, chargedMicros]).toEqual([0, 0]);
    }
    expect(platform.runtime.runs).toEqual([]);
  });

  test("a ticket opens the stream once, for its agent, with the query that it carries; the second time is 401", async () => {
    await using platform = await platformWithAgent(engine);
    const { body } = await platform.call("POST", "/api/v1/agents/support/stream-ticket", {
      headers: platform.owner.asPerson,
      body: { query: "said in private" },
    });
    expect(body).toMatchObject({ expires_in: 30 });
    const opened = `/api/v1/agents/support/run/stream?ticket=${body.ticket}`;
    const frames = await (await openRunSocket(platform.url, opened)).rest();
    expect(frames.at(-1)).toMatchObject({ type: "done" });
    expect(platform.runtime.runs).toMatchObject([{ run: { query: "said in private" } }]);
    expect(await refusedHandshake(platform.url, opened)).toMatchObject({ status: 401 });
  });

  test("a request that is not a handshake is 400 and does not use up a ticket", async () => {
    await using platform = await platformWithAgent(engine);
    const { body } = await platform.call("POST", "/api/v1/agents/support/stream-ticket", {
      headers: platform.owner.asProgram,
      body: { query: "hi" },
    });
    const opened = `/api/v1/agents/support/run/stream?ticket=${body.ticket}`;
    expect((await platform.call("HEAD", opened)).status).toBe(400);
    expect(await platform.call("GET", opened)).toMatchObject({
      status: 400,
      body: { error: "websocket_required" },
    });
    const frames = await (await openRunSocket(platform.url, opened)).rest();
    expect(frames.at(-1)).toMatchObject({ type: "done" });
    expect(platform.runtime.runs).toHaveLength(1);
  });

  test("a ticket after 30 seconds is 401", async () => {
    await using platform = await platformWithAgent(engine);
    const { body } = await platform.call("POST", "/api/v1/agents/support/stream-ticket", {
      headers: platform.owner.asProgram,
      body: { query: "hi" },
    });
    await platform.clock.advance(30_001);
    const opened = `/api/v1/agents/support/run/stream?ticket=${body.ticket}`;
    expect(await refusedHandshake(platform.url, opened)).toMatchObject({ status: 401 });
  });

  test("a ticket of a tenant that was deleted meanwhile is 401", async () => {
    await using platform = await platformWithAgent(engine);
    const { body } = await platform.call("POST", "/api/v1/agents/support/stream-ticket", {
      headers: platform.owner.asProgram,
      body: { query: "hi" },
    });
    const { storage } = platform.deps;
    await storage.transact(async (tx) => {
      const { tenants, agents } = storage.tables;
      const deletedAt = platform.clock.now();
      await tx.update(tenants).set({ deletedAt }).where(eq(tenants.id, platform.owner.id));
      await tx.update(agents).set({ deletedAt }).where(eq(agents.tenantId, platform.owner.id));
    });
    const opened = `/api/v1/agents/support/run/stream?ticket=${body.ticket}`;
    expect(await refusedHandshake(platform.url, opened)).toMatchObject({ status: 401 });
  });

  test.each([
    ["whose key was revoked", "asProgram", "revoke"],
    ["whose key has expired", "asProgram", "expire"],
    ["whose session has ended", "asPerson", "logout"],
  ] as const)("a ticket %s meanwhile is 401, and starts no run", async (_, by, ending) => {
    await using platform = await platformWithAgent(engine);
    const { owner, clock } = platform;
    const { body } = await platform.call("POST", "/api/v1/agents/support/stream-ticket", {
      headers: owner[by],
      body: { query: "hi" },
    });
    const { storage } = platform.deps;
    const { apiKeys, sessions } = storage.tables;
    const now = clock.now();
    await storage.transact(async (tx) => {
      if (ending === "logout") await tx.update(sessions).set({ revokedAt: now });
      else await tx.update(apiKeys).set(ending === "revoke" ? { revokedAt: now } : { expiresAt: now });
    });
    const opened = `/api/v1/agents/support/run/stream?ticket=${body.ticket}`;
    expect(await refusedHandshake(platform.url, opened)).toMatchObject({ status: 401 });
    expect(platform.runtime.runs).toEqual([]);
  });
});
