import { expect, test } from "bun:test";
import { and, eq } from "drizzle-orm";
import type { RuntimeRun } from "../../../../../src/contracts/runtime/runs.ts";
import type { Clock } from "../../../../../src/kit/clock.ts";
import { newId } from "../../../../../src/kit/id.ts";
import type { PlatformDeps } from "../../../../../src/services/platform/deps.ts";
import { TenantDurableRuns } from "../../../../../src/services/platform/runs/durable/durable-runs.ts";
import { runSweep } from "../../../../../src/services/platform/runs/sweep/run-sweep.ts";
import { OwnerLife } from "../../../../../src/storage/owner-life.ts";
import {
  countersOf,
  invocationsOf,
  type PlatformWithAgent,
  platformWithAgent,
} from "../../../../support/platform-agent.ts";
import { ended, type RuntimeScript } from "../../../../support/staged-runtime.ts";
import { steadyLife } from "../../../../support/steady-life.ts";
import { onEachEngine } from "../../../../support/storage-engines.ts";

const path = "/api/v1/agents/support/run";
const hourMs = 3_600_000;

interface Asked {
  key?: string;
  session?: string;
  query?: string;
}

const ask = (platform: PlatformWithAgent, { key, session, query = "hi" }: Asked) =>
  platform.call("POST", path, {
    headers: { ...platform.owner.asProgram, ...(key === undefined ? {} : { "idempotency-key": key }) },
    body: { query, ...(session === undefined ? {} : { session_id: session }) },
  });

/** A runtime in which the first processes hang, and later ones answer. */
function hanging(platform: PlatformWithAgent, last: () => ReturnType<typeof ended> = ended) {
  const begun: RuntimeRun[] = [];
  const goOn = Promise.withResolvers<void>();
  let waiting = () => {};
  let hangs = true;
  const script: RuntimeScript = async function* (run) {
    begun.push(run as RuntimeRun);
    waiting();
    if (hangs) await goOn.promise;
    yield last();
  };
  platform.runtime.plays(script);
  return {
    begun,
    answersFromNowOn: () => {
      hangs = false;
    },
    /** Wakes the processes that hang. */
    wake: () => goOn.resolve(),
    async untilBegun(count: number) {
      while (begun.length < count) {
        await new Promise<void>((resolve) => {
          waiting = resolve;
        });
      }
    },
  };
}

/** Another process on the same database, for which `dead` are dead; `settle` is its sweep and waits for the runs that it continues. */
async function otherProcess({ deps }: PlatformWithAgent, dead: readonly string[] = [], lateMs = 0) {
  const { storage } = deps;
  const clock: Clock = {
    now: () => new Date(deps.clock.now().getTime() + lateMs),
    monotonicMs: () => deps.clock.monotonicMs(),
    timer: (...given) => deps.clock.timer(...given),
  };
  const { leases } = storage.tables;
  for (const owner of dead) {
    await new OwnerLife(storage, owner, clock).renew();
    await storage.transact((tx) =>
      tx
        .update(leases)
        .set({ expiresAt: storage.instant(-1) })
        .where(eq(leases.owner, owner)),
    );
  }
  const owner = newId();
  const going: Promise<unknown>[] = [];
  const life = await steadyLife(storage, owner);
  const own: PlatformDeps = {
    ...deps,
    clock,
    owner,
    life,
    durable: new TenantDurableRuns(deps.runtime),
    outlives: (work) => void going.push(work),
  };
  const sweep = runSweep(own);
  return {
    owner,
    deps: own,
    sweep,
    async settle() {
      await sweep();
      await Promise.all(going);
    },
  };
}

async function sums(platform: PlatformWithAgent) {
  const [counter] = await countersOf(platform);
  return { charged: counter?.chargedMicros, held: counter?.heldMicros };
}

onEachEngine("a run whose process dies", (engine) => {
  const cases: [
    title: string,
    asked: Asked,
    change: { durable?: boolean; lateMs?: number },
    continues: boolean,
  ][] = [
    ["with a key", { key: "k" }, {}, true],
    ["with a session", { session: "s" }, {}, true],
    ["with both", { key: "k", session: "s" }, {}, true],
    ["with neither", {}, {}, false],
    ["after its time limit", { key: "k" }, { lateMs: 600_000 }, true],
    ["after an hour", { key: "k" }, { lateMs: hourMs }, false],
    ["where durable is false", { key: "k" }, { durable: false }, false],
  ];
  test.each(cases)("%s: %j %j continues: %j", async (_, asked, { durable = true, lateMs = 0 }, continues) => {
    await using platform = await platformWithAgent(engine, {
      rate: 1000,
      change: (deps) => ({ ...deps, settings: { ...deps.settings, durable } }),
    });
    const runtime = hanging(platform);
    const first = ask(platform, asked);
    await runtime.untilBegun(1);
    runtime.answersFromNowOn();
    const other = await otherProcess(platform, [platform.deps.owner], lateMs);
    await other.settle();

    const [run] = await invocationsOf(platform);
    expect(run).toMatchObject(
      continues
        ? { status: "ok", chargedMicros: 120, owner: null }
        : { status: "interrupted", chargedMicros: 0 },
    );
    expect(await sums(platform)).toEqual({ charged: continues ? 120 : 0, held: 0 });
    expect(runtime.begun.map((run) => run.durable)).toEqual(
      continues ? ["begin", "continue"] : [durable && (asked.key ?? asked.session) ? "begin" : undefined],
    );
    const [begun, again] = runtime.begun;
    if (continues) {
      // The same question, with a token of its own.
      const { run_token, durable: ___, traceparent, ...same } = again as RuntimeRun;
      expect(begun).toMatchObject(same);
      expect(run_token).not.toBe(begun?.run_token);
    }
    // The dead one was only slow. What it says changes nothing.
    runtime.wake();
    expect((await first).body).toMatchObject({ error: "interrupted" });
    expect(await sums(platform)).toEqual({ charged: continues ? 120 : 0, held: 0 });
    if (asked.key === undefined) return;
    const repeated = await ask(platform, asked);
    expect([repeated.status, repeated.body.answer]).toEqual(
      continues ? [200, "Hello there."] : [503, undefined],
    );
    expect(repeated.headers.get("idempotency-replayed")).toBe("true");
  });

  test("is in progress for its caller until it has ended elsewhere: 200", async () => {
    await using platform = await platformWithAgent(engine);
    const runtime = hanging(platform);
    const first = ask(platform, { key: "k" });
    await runtime.untilBegun(1);
    const other = await otherProcess(platform, [platform.deps.owner]);
    await other.sweep();
    await runtime.untilBegun(2);
    const repeated = await ask(platform, { key: "k" });
    expect([repeated.status, repeated.body.status]).toEqual([200, "in_progress"]);
    runtime.wake();
    await first;
    await other.settle();
    expect((await ask(platform, { key: "k" })).body.answer).toBe("Hello there.");
  });

  test("names the tool of unknown outcome: 409, uncharged", async () => {
    await using platform = await platformWithAgent(engine, { rate: 1000 });
    const message = "The run was interrupted during a call of pay.";
    const unknown = () =>
      ended({
        outcome: "error",
        result: undefined,
        left: true,
        steps_kept: true,
        error: {
          code: "tool_outcome_unknown",
          status: 409,
          message,
          fault: "caller",
          facts: { tools: ["pay"] },
        },
      });
    const runtime = hanging(platform, unknown);
    const first = ask(platform, { key: "k" });
    await runtime.untilBegun(1);
    runtime.answersFromNowOn();
    const other = await otherProcess(platform, [platform.deps.owner]);
    await other.settle();
    const [run] = await invocationsOf(platform);
    expect(run).toMatchObject({
      status: "interrupted",
      errorCode: "tool_outcome_unknown",
      chargedMicros: 0,
      message,
    });
    const repeated = await ask(platform, { key: "k" });
    expect(repeated).toMatchObject({ status: 409, body: { error: "tool_outcome_unknown", tools: ["pay"] } });
    await other.deps.durable.flush();
    expect(platform.runtime.stepsForgotten).toEqual([
      { tenant_id: platform.owner.id, run_id: run?.id as string },
    ]);
    runtime.wake();
    await first;
  });

  test("ends after three interruptions, and the doctor sees it", async () => {
    await using platform = await platformWithAgent(engine, { rate: 1000 });
    const runtime = hanging(platform);
    const first = ask(platform, { key: "k" });
    const dead = [platform.deps.owner];
    for (let deaths = 1; deaths <= 3; deaths++) {
      await runtime.untilBegun(deaths);
      const other = await otherProcess(platform, dead);
      await other.sweep();
      dead.push(other.owner);
    }
    for (let turns = 0; (await invocationsOf(platform))[0]?.status === "in_progress" && turns < 1000; turns++)
      await new Promise((resolve) => setImmediate(resolve));
    const [run] = await invocationsOf(platform);
    expect(run).toMatchObject({
      status: "interrupted",
      errorCode: "interrupted_repeatedly",
      chargedMicros: 0,
    });
    expect(runtime.begun.length).toBe(3);
    const { begunWork } = platform.deps.storage.tables;
    const parked = await platform.deps.storage.read
      .select()
      .from(begunWork)
      .where(and(eq(begunWork.kind, "run"), eq(begunWork.key, run?.id as string)));
    expect(parked[0]?.parkedAt).toBeInstanceOf(Date);
    runtime.wake();
    await first;
  });

  test("does not continue with another version of its agent: 409", async () => {
    await using platform = await platformWithAgent(engine);
    const runtime = hanging(platform);
    const first = ask(platform, { key: "k" });
    await runtime.untilBegun(1);
    runtime.answersFromNowOn();
    const { storage } = platform.deps;
    const { agents } = storage.tables;
    await storage.transact((tx) => tx.update(agents).set({ deletedAt: platform.clock.now() }));
    const other = await otherProcess(platform, [platform.deps.owner]);
    await other.settle();
    expect((await invocationsOf(platform))[0]).toMatchObject({ status: "error", errorCode: "agent_changed" });
    expect(await sums(platform)).toMatchObject({ held: 0 });
    runtime.wake();
    await first;
  });

  test("is left at once by a process that stops: 503 for its caller, the answer for the next request", async () => {
    const stopping = new AbortController();
    await using platform = await platformWithAgent(engine, {
      rate: 1000,
      change: (deps) => ({ ...deps, stopping: stopping.signal }),
    });
    const cancelled = () =>
      ended({
        outcome: "cancelled",
        result: undefined,
        error: { code: "run_cancelled", status: 503, message: "The run was cancelled.", fault: "service" },
      });
    const runtime = hanging(platform, cancelled);
    const first = ask(platform, { key: "k" });
    await runtime.untilBegun(1);
    stopping.abort();
    runtime.wake();
    expect(await first).toMatchObject({ status: 503, body: { error: "interrupted" } });
    expect((await invocationsOf(platform))[0]).toMatchObject({ status: "in_progress", owner: null });
    hanging(platform).answersFromNowOn();
    // Nobody waits for a lease to end.
    const other = await otherProcess(platform);
    Object.assign(other.deps, { stopping: new AbortController().signal });
    await other.settle();
    expect((await ask(platform, { key: "k" })).body.answer).toBe("Hello there.");
    expect(await sums(platform)).toEqual({ charged: 120, held: 0 });
  });
});
