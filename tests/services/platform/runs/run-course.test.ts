import { expect, test } from "bun:test";
import { AppError } from "../../../../src/kit/app-error.ts";
import { dropRunLeftovers } from "../../../../src/services/platform/runs/sweep/drop-run-leftovers.ts";
import { sweepInterrupted } from "../../../../src/services/platform/runs/sweep/run-sweep.ts";
import {
  addPlatformAgent,
  countersOf,
  invocationsOf,
  type PlatformWithAgent,
  platformWithAgent,
} from "../../../support/platform-agent.ts";
import { ended, type RuntimeScript } from "../../../support/staged-runtime.ts";
import { onEachEngine } from "../../../support/storage-engines.ts";

const path = "/api/v1/agents/support/run";

/** A script that reports the start of a run, and continues when the test says so. */
function held(last: (cancelled: AbortSignal) => ReturnType<typeof ended> | undefined) {
  const begun = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  const script: RuntimeScript = async function* (_, cancelled) {
    begun.resolve();
    const aborted = new Promise<void>((resolve) => {
      cancelled.addEventListener("abort", () => resolve(), { once: true });
    });
    await Promise.race([goOn.promise, aborted]);
    const frame = last(cancelled);
    if (frame !== undefined) yield frame;
    else await new Promise(() => {});
  };
  return { script, begun: begun.promise, goOn: goOn.resolve };
}

const ask = (
  platform: PlatformWithAgent,
  options: { signal?: AbortSignal; key?: string; body?: object } = {},
) =>
  platform.call("POST", path, {
    headers: { ...platform.owner.asProgram, ...(options.key ? { "idempotency-key": options.key } : {}) },
    body: options.body ?? { query: "hi" },
    ...(options.signal ? { signal: options.signal } : {}),
  });

async function untilEnded(platform: PlatformWithAgent) {
  for (;;) {
    const [run] = await invocationsOf(platform);
    if (run !== undefined && run.status !== "in_progress") return run;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

onEachEngine("the course of a run", (engine) => {
  test("a caller that leaves cancels the run", async () => {
    await using platform = await platformWithAgent(engine, { rate: 1000 });
    const run = held(() => ended({ outcome: "cancelled" }));
    platform.runtime.plays(run.script);
    const leaving = new AbortController();
    const answer = ask(platform, { signal: leaving.signal }).catch(() => undefined);
    await run.begun;
    leaving.abort();
    await answer;
    expect(await untilEnded(platform)).toMatchObject({ status: "cancelled", chargedMicros: 0 });
  });

  test("a caller that leaves and gave a key gets the answer when it comes again", async () => {
    await using platform = await platformWithAgent(engine);
    const run = held(() => ended());
    platform.runtime.plays(run.script);
    const leaving = new AbortController();
    const answer = ask(platform, { signal: leaving.signal, key: "k" }).catch(() => undefined);
    await run.begun;
    leaving.abort();
    await answer;
    const meanwhile = await ask(platform, { key: "k" });
    expect(meanwhile).toMatchObject({ status: 200, body: { status: "in_progress" } });
    expect(Object.keys(meanwhile.body)).not.toContain("answer");
    expect(meanwhile.headers.get("retry-after")).toBe("2");
    expect(meanwhile.headers.get("idempotency-replayed")).toBe("true");
    run.goOn();
    expect(await untilEnded(platform)).toMatchObject({ status: "ok" });
    expect(await ask(platform, { key: "k" })).toMatchObject({
      status: 200,
      body: { answer: "Hello there." },
    });
    expect(platform.runtime.cancelled).toEqual([]);
  });

  test("a failure (422) is repeated under its key for 24 hours, and then runs anew", async () => {
    await using platform = await platformWithAgent(engine);
    const error = { code: "guardrail_blocked", status: 422, message: "no", facts: { stage: "input" } };
    platform.runtime.plays(async function* () {
      yield ended({ outcome: "error", error });
    });
    const first = await ask(platform, { key: "k" });
    const again = await ask(platform, { key: "k" });
    expect([again.status, again.text]).toEqual([422, first.text]);
    expect(again.headers.get("idempotency-replayed")).toBe("true");
    await platform.clock.advance(24 * 60 * 60 * 1000 + 1);
    expect((await ask(platform, { key: "k" })).headers.get("idempotency-replayed")).toBeNull();
    expect(platform.runtime.runs).toHaveLength(2);
  });

  test("a key is answered again while the runtime is away", async () => {
    await using platform = await platformWithAgent(engine);
    const first = await ask(platform, { key: "k" });
    platform.runtime.register = async () => {
      throw new Error("connect ECONNREFUSED");
    };
    expect((await ask(platform, { key: "k" })).body).toEqual(first.body);
  });

  test("a context in another order is the same request", async () => {
    await using platform = await platformWithAgent(engine);
    await ask(platform, { key: "k", body: { query: "hi", context: { a: 1, b: 2 } } });
    const again = await ask(platform, { key: "k", body: { query: "hi", context: { b: 2, a: 1 } } });
    expect(again.headers.get("idempotency-replayed")).toBe("true");
  });

  test("another tenant's key is 409, and says nothing else", async () => {
    await using platform = await platformWithAgent(engine);
    const stranger = await platform.tenant();
    await addPlatformAgent(platform, stranger, "support");
    await ask(platform, { key: "k" });
    const answer = await platform.call("POST", path, {
      headers: { ...stranger.asProgram, "idempotency-key": "k" },
      body: { query: "hi" },
    });
    expect(answer).toMatchObject({ status: 409, body: { error: "idempotency_key_conflict" } });
    expect(Object.keys(answer.body).toSorted()).toEqual(["error", "message"]);
  });

  test.each<[string, Parameters<typeof held>[0], string]>([
    ["ends when it is told to", () => ended({ outcome: "cancelled" }), "timeout"],
    ["never says a last word", () => undefined, "timeout"],
    ["had its answer ready", () => ended(), "ok"],
  ])("a run over its time that %s is recorded once", async (_, last, status) => {
    await using platform = await platformWithAgent(engine, { rate: 1000 });
    const run = held(last);
    platform.runtime.plays(run.script);
    const answer = ask(platform);
    await run.begun;
    await platform.clock.advance(125_000);
    await platform.clock.advance(10_000);
    const { status: http, body } = await answer;
    if (status === "timeout") expect([http, body.error]).toEqual([504, "run_timeout"]);
    else expect(http).toBe(200);
    expect(await invocationsOf(platform)).toMatchObject([
      { status, chargedMicros: status === "ok" ? 120 : 0, heldUntil: null },
    ]);
    expect((await countersOf(platform)).map(({ heldMicros }) => heldMicros)).toEqual([0]);
    expect(platform.runtime.cancelled.length).toBeGreaterThan(0);
  });

  test("a process that stops cancels its runs with 503, and records that", async () => {
    const stopping = new AbortController();
    await using platform = await platformWithAgent(engine, {
      change: (deps) => ({ ...deps, stopping: stopping.signal }),
    });
    const run = held(() => ended({ outcome: "cancelled" }));
    platform.runtime.plays(run.script);
    const answer = ask(platform);
    await run.begun;
    stopping.abort();
    expect(await answer).toMatchObject({ status: 503, body: { error: "run_cancelled" } });
    expect(await invocationsOf(platform)).toMatchObject([{ status: "cancelled", chargedMicros: 0 }]);
  });

  test("a run is not recorded: 503, and the runtime is not asked", async () => {
    let isFull = false;
    await using platform = await platformWithAgent(engine, {
      change: (deps) => {
        const { transact } = deps.storage;
        const failing: typeof transact = async (run, options) => {
          if (isFull) throw new AppError("unavailable", "storage_unavailable", "The disk is full.");
          return transact(run, options);
        };
        return { ...deps, storage: { ...deps.storage, transact: failing } };
      },
    });
    isFull = true;
    const answer = await ask(platform);
    expect(answer).toMatchObject({ status: 503, body: { error: "run_unrecorded" } });
    expect(answer.headers.get("retry-after")).toBe("2");
    expect(platform.runtime.runs).toEqual([]);
  });

  test("a runtime that has lost the agent, or has another version, is given it and asked again", async () => {
    await using platform = await platformWithAgent(engine);
    const { run: really } = platform.runtime;
    let refusals = 0;
    for (const code of ["agent_outdated", "agent_not_found"]) {
      platform.runtime.agents.clear();
      platform.runtime.run = (name, asked) => {
        if (platform.runtime.agents.has(name)) return really(name, asked);
        refusals++;
        const refusal = new AppError("conflict", code, "another");
        return { [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(refusal) }) };
      };
      // The process does not register an agent that it knows to be registered.
      if (refusals === 0) expect(await ask(platform)).toMatchObject({ status: 200 });
      platform.runtime.agents.clear();
      expect(await ask(platform)).toMatchObject({ status: 200 });
    }
    expect(refusals).toBe(2);
    expect((await invocationsOf(platform)).every(({ status }) => status === "ok")).toBe(true);
  });

  test("an agent of a name that was used before is registered anew: its memory is its own", async () => {
    await using platform = await platformWithAgent(engine);
    await ask(platform);
    const [first] = [...platform.runtime.agents.values()].map(({ agent_id }) => agent_id);
    const { storage } = platform.deps;
    await storage.transact(async (tx) => {
      await tx.update(storage.tables.agents).set({ deletedAt: platform.clock.now() });
    });
    const second = await addPlatformAgent(platform, platform.owner, "support");
    await ask(platform);
    expect(second).not.toBe(first ?? "");
    expect([...platform.runtime.agents.values()].map(({ agent_id }) => agent_id)).toEqual([second]);
  });

  test("agents that work for it are registered with it; one that is missing is 502", async () => {
    await using platform = await platformWithAgent(engine);
    const { register } = platform.runtime;
    platform.runtime.register = async (name, agent) => ({
      ...(await register(name, agent)),
      references: agent.name === "support" ? ["clerk"] : [],
    });
    expect(await ask(platform)).toMatchObject({ status: 502, body: { error: "agent_not_loaded" } });
    await addPlatformAgent(platform, platform.owner, "clerk");
    expect(await ask(platform)).toMatchObject({ status: 200 });
    const { id } = platform.owner;
    expect([...platform.runtime.agents.keys()].toSorted()).toEqual([`t_${id}__clerk`, `t_${id}__support`]);
  });

  test.each<[string, object, string]>([
    ["no query", {}, "query"],
    ["an empty query", { query: "" }, "query"],
    ["a key of the runtime's", { query: "hi", context: { _tenant: "t" } }, "context._tenant"],
    ["too large a context", { query: "hi", context: { a: "x".repeat(64 * 1024) } }, "context"],
    ["too long a session", { query: "hi", session_id: "x".repeat(256) }, "session_id"],
    ["something unknown", { query: "hi", extra: 1 }, "extra"],
  ])("%s is 400 with its place", async (_, body, place) => {
    await using platform = await platformWithAgent(engine);
    const answer = await ask(platform, { body });
    expect(answer).toMatchObject({ status: 400, body: { problems: [{ path: place }] } });
    expect(await invocationsOf(platform)).toEqual([]);
  });

  test.each<[number, string | null]>([
    [600, null],
    [151, null],
    [150, "80"],
    [120, "100"],
  ])("of a cap of %d micros the answer tells %p percent used", async (cap, told) => {
    const plan = { creditCapPeriodMicros: cap, maxRunTokens: 120 };
    await using platform = await platformWithAgent(engine, { rate: 1000, plan });
    const answer = await ask(platform);
    expect(answer).toMatchObject({ status: 200, body: { credits_charged_micros: 120 } });
    expect(answer.headers.get("x-platform-credit-usage")).toBe(told);
  });

  test("runs of a dead process are closed once, and their keys are 503", async () => {
    await using platform = await platformWithAgent(engine, { rate: 1000 });
    const run = held(() => undefined);
    platform.runtime.plays(run.script);
    const leaving = new AbortController();
    const answer = ask(platform, { key: "k", signal: leaving.signal }).catch(() => undefined);
    await run.begun;
    const { storage, clock } = platform.deps;
    expect(await sweepInterrupted(storage, clock.now())).toBe(0);
    const later = new Date(clock.now().getTime() + 180_000);
    expect(await sweepInterrupted(storage, later)).toBe(1);
    expect(await sweepInterrupted(storage, later)).toBe(0);
    expect(await ask(platform, { key: "k" })).toMatchObject({ status: 503, body: { error: "interrupted" } });
    expect(await countersOf(platform)).toMatchObject([{ heldMicros: 0, chargedMicros: 0 }]);
    leaving.abort();
    await answer;
  });

  test("what runs leave behind is dropped when its time is over", async () => {
    await using platform = await platformWithAgent(engine);
    await ask(platform, { key: "k" });
    const { storage, clock } = platform.deps;
    const { idempotencyKeys, rateWindows } = storage.tables;
    const count = async () => [
      (await storage.read.select().from(idempotencyKeys)).length,
      (await storage.read.select().from(rateWindows)).length,
    ];
    await dropRunLeftovers(storage, clock.now());
    expect(await count()).toEqual([1, 1]);
    await dropRunLeftovers(storage, new Date(clock.now().getTime() + 3_700_000));
    expect(await count()).toEqual([1, 0]);
    await dropRunLeftovers(storage, new Date(clock.now().getTime() + 31 * 86_400_000));
    expect(await count()).toEqual([0, 0]);
  });
});
