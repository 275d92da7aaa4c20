import { expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import type { RunEvent } from "../../../../src/engine/run-state/run-event.ts";
import { AppError } from "../../../../src/kit/app-error.ts";
import { newId } from "../../../../src/kit/id.ts";
import { silentLogger } from "../../../../src/kit/log.ts";
import { pruneCallerRuns } from "../../../../src/services/daemon/durable-runs/caller-run-store.ts";
import {
  type CallerRun,
  CallerRuns,
  type PerformKept,
} from "../../../../src/services/daemon/durable-runs/caller-runs.ts";
import { RunContinuation } from "../../../../src/services/daemon/durable-runs/continue-caller-runs.ts";
import { DurableRuns } from "../../../../src/services/daemon/durable-runs/durable-runs.ts";
import { type DaemonTables, tables } from "../../../../src/services/daemon/tables.ts";
import { OwnerLife } from "../../../../src/storage/owner-life.ts";
import type { Storage } from "../../../../src/storage/storage.ts";
import { FakeClock, settle } from "../../../support/fake-clock.ts";
import { outcome } from "../../../support/refusal.ts";
import { steadyLife } from "../../../support/steady-life.ts";
import { onEachEngine } from "../../../support/storage-engines.ts";

const done = (response: string): RunEvent =>
  ({
    type: "done",
    result: { response, usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 } },
    trace: undefined,
    finish: "stop",
    usage: { inputTokens: 1, outputTokens: 1, cachedTokens: 0, estimated: false },
    costMicros: 5,
  }) as unknown as RunEvent;

const step: RunEvent = { type: "step", name: "plan", content: "first" };

/** The outcome of a request that looks for its answer again and again. */
async function answered<T>(clock: FakeClock, asked: Promise<T>): Promise<T> {
  let isOver = false;
  const over = () => {
    isOver = true;
  };
  asked.then(over, over);
  while (!isOver) await clock.advance(500);
  return asked;
}

const hangs = new Promise<never>(() => {});

/** Says one step, waits, and answers. */
const answering = (text: string, wait: Promise<unknown> = Promise.resolve()): PerformKept =>
  async function* ({ keep }) {
    const steps = await keep?.(() => "same");
    yield step;
    steps?.add(() => ({ kind: "now", key: "k", at: "2026-01-01T00:00:00.000Z" }));
    await steps?.stored();
    await wait;
    yield done(text);
  };

const failing = (code: string, hasBegun: boolean): PerformKept =>
  async function* () {
    if (hasBegun) yield step;
    throw new AppError("upstream_failed", code, "The provider failed.");
  };

async function processOf(storage: Storage<DaemonTables>, { isDurable = true, dead = [] as string[] } = {}) {
  const clock = new FakeClock();
  const owner = newId();
  const stopping = new AbortController();
  const ports = { storage, sealer: undefined, clock, log: silentLogger, stopping: stopping.signal };
  for (const gone of dead) {
    await new OwnerLife(storage, gone, clock).renew();
    const { leases } = storage.tables;
    await storage.transact((tx) =>
      tx
        .update(leases)
        .set({ expiresAt: storage.instant(-1) })
        .where(eq(leases.owner, gone)),
    );
  }
  const durable = new DurableRuns(ports);
  const life = await steadyLife(storage, owner);
  const runs = new CallerRuns({
    ...ports,
    durable,
    life,
    approvals: undefined,
    usage: { record() {} },
    newId,
    isDurable,
  });
  const rows = () => storage.read.select().from(storage.tables.callerRuns);
  const replays: string[] = [];
  const ask = async (
    key: string | undefined,
    perform: PerformKept,
    more: Partial<CallerRun> & { asked?: object } = {},
  ) => {
    const { asked = { query: "hi" }, ...others } = more;
    const events: RunEvent[] = [];
    const run = {
      key:
        key === undefined
          ? undefined
          : { name: key, asked: () => asked, replayed: () => void replays.push(key) },
      agent: "helper",
      sessionId: "s",
      request: () => ({ query: "hi" }),
      signal: () => new AbortController().signal,
      ...others,
    };
    for await (const event of runs.events(run, perform)) events.push(event);
    const last = events.at(-1);
    return last?.type === "done" ? last.result.response : undefined;
  };
  const continuing = (perform: PerformKept) =>
    new RunContinuation(runs, { agents: () => ["helper"], perform: (_, kept) => perform(kept, true) });
  return {
    owner,
    clock,
    runs,
    ask,
    continuing,
    replays,
    stopping,
    rows,
    async untilEnded() {
      while ((await rows()).some(({ status }) => status === "in_progress")) await settle();
    },
  };
}

onEachEngine("runs of the daemon's callers", (engine) => {
  const open = () => engine.open({ service: "daemon", tables });

  test("requests with one key share one run and its answer, also later; another request with the key is 422", async () => {
    await using storage = await open();
    const { ask, replays, rows, clock } = await processOf(storage);
    const wait = Promise.withResolvers<void>();
    const first = ask("k", answering("one", wait.promise));
    while ((await rows()).length < 1) await settle();
    const second = ask("k", answering("two"));
    wait.resolve();
    expect(await answered(clock, Promise.all([first, second]))).toEqual(["one", "one"]);
    expect(await ask("k", answering("three"))).toBe("one");
    expect(replays).toEqual(["k", "k"]);
    expect(await outcome(ask("k", answering("four"), { asked: { query: "other" } }))).toMatchObject({
      code: "idempotency_key_reused",
      status: 422,
    });
    expect(await ask("k2", answering("five"), { asked: { query: "other" } })).toBe("five");
  });

  test("a run with a key goes on when its caller leaves, who gets the answer later", async () => {
    await using storage = await open();
    const { ask, runs } = await processOf(storage);
    const wait = Promise.withResolvers<void>();
    const leaves = new AbortController();
    const left = outcome(ask("k", answering("one", wait.promise), { signal: () => leaves.signal }));
    await settle();
    leaves.abort(new AppError("unavailable", "run_cancelled", "The client left."));
    expect(await left).toMatchObject({ code: "run_cancelled" });
    wait.resolve();
    await runs.ended();
    expect(await ask("k", answering("two"))).toBe("one");
  });

  test("a run that fails before its first event frees its key; a later failure is what the key is answered with", async () => {
    await using storage = await open();
    const { ask, rows } = await processOf(storage);
    expect(await outcome(ask("k", failing("too_busy", false)))).toMatchObject({ code: "too_busy" });
    expect(await rows()).toEqual([]);
    expect(await outcome(ask("k", failing("provider_failed", true)))).toMatchObject({ status: 502 });
    expect(await outcome(ask("k", answering("two")))).toMatchObject({ code: "provider_failed", status: 502 });
  });

  test("another process continues the run of a dead one, and its caller's repeat waits for the answer", async () => {
    await using storage = await open();
    const first = await processOf(storage);
    void first.ask("k", answering("never", hangs));
    void first.ask(undefined, answering("never", hangs), { sessionId: "t" });
    while ((await storage.read.select().from(storage.tables.runSteps)).length < 2) await settle();
    const second = await processOf(storage, { dead: [first.owner] });
    const asked = second.ask("k", answering("two"));
    await second.continuing(answering("continued")).round();
    await second.untilEnded();
    expect(await answered(second.clock, asked)).toBe("continued");
    // Of a run with a session alone, nothing is left. Of the steps, the claims are.
    expect((await second.rows()).map(({ key, status, owner }) => [key !== null, status, owner])).toEqual([
      [true, "ended", null],
    ]);
    const left = await storage.read.select().from(storage.tables.runSteps);
    expect(left.map(({ steps }) => steps)).toEqual(["", ""]);
  });

  test("a process that was only paused can't end a run that another one continues, and answers with the other's end", async () => {
    await using storage = await open();
    const wait = Promise.withResolvers<void>();
    const first = await processOf(storage);
    const asked = first.ask("k", answering("late", wait.promise));
    while ((await storage.read.select().from(storage.tables.runSteps)).length < 1) await settle();
    const second = await processOf(storage, { dead: [first.owner] });
    await second.continuing(answering("continued")).round();
    await second.untilEnded();
    wait.resolve();
    await first.runs.ended();
    expect(await answered(first.clock, asked)).toBe("continued");
    expect(await answered(second.clock, second.ask("k", answering("other")))).toBe("continued");
  });

  test("a run that ended three processes is 503 interrupted_repeatedly and performed no more", async () => {
    await using storage = await open();
    const first = await processOf(storage);
    void first.ask("k", answering("never", hangs));
    while ((await storage.read.select().from(storage.tables.runSteps)).length < 1) await settle();
    let dead = first.owner;
    for (const isLast of [false, false, true]) {
      const next = await processOf(storage, { dead: [dead] });
      await next.continuing(answering("never", hangs)).round();
      if (isLast) {
        await next.untilEnded();
        expect(await outcome(answered(next.clock, next.ask("k", answering("other"))))).toMatchObject({
          code: "interrupted_repeatedly",
          status: 503,
        });
      } else while ((await next.rows())[0]?.owner !== next.owner) await settle();
      await settle();
      dead = next.owner;
    }
  });

  test("a process that stops leaves its runs to the next one", async () => {
    await using storage = await open();
    const first = await processOf(storage);
    const begun = Promise.withResolvers<void>();
    const asked = outcome(
      first.ask("k", async function* ({ keep }) {
        await keep?.(() => "same");
        yield step;
        const stopped = new Promise((_, reject) =>
          first.stopping.signal.addEventListener("abort", () => reject(first.stopping.signal.reason)),
        );
        begun.resolve();
        await stopped;
      }),
    );
    await begun.promise;
    first.stopping.abort(new AppError("unavailable", "shutting_down", "The server stops."));
    expect(await asked).toMatchObject({ status: 503 });
    expect((await first.rows())[0]?.owner).toBeNull();
    const second = await processOf(storage);
    await second.continuing(answering("continued")).round();
    await second.untilEnded();
    expect(await answered(second.clock, second.ask("k", answering("other")))).toBe("continued");
  });

  test("without durable runs, the key of a dead process is answered with 503 run_interrupted", async () => {
    await using storage = await open();
    const first = await processOf(storage, { isDurable: false });
    void first.ask("k", answering("never", hangs));
    void first.ask(undefined, answering("never", hangs));
    while ((await first.rows()).length < 1) await settle();
    const second = await processOf(storage, { isDurable: false, dead: [first.owner] });
    await second.clock.advance(1);
    await second.continuing(answering("continued")).round();
    expect(await outcome(answered(second.clock, second.ask("k", answering("other"))))).toMatchObject({
      code: "run_interrupted",
      status: 503,
    });
    expect(await second.rows()).toHaveLength(1);
  });

  test("a run with stubs or a recording is answered once, and not continued", async () => {
    await using storage = await open();
    const first = await processOf(storage);
    void first.ask("k", answering("never", hangs), { request: undefined });
    while ((await first.rows()).length < 1) await settle();
    const second = await processOf(storage, { dead: [first.owner] });
    await second.continuing(answering("continued")).round();
    await second.untilEnded();
    expect(await outcome(answered(second.clock, second.ask("k", answering("other"))))).toMatchObject({
      code: "run_interrupted",
    });
  });

  test("a run that can't begin at all frees its key as well", async () => {
    await using storage = await open();
    const { ask, rows } = await processOf(storage);
    const refused = outcome(
      ask("k", () => {
        throw new AppError("not_found", "agent_not_found", "There is no such agent.");
      }),
    );
    expect(await refused).toMatchObject({ code: "agent_not_found", status: 404 });
    expect(await rows()).toEqual([]);
    expect(await ask("k", answering("one"))).toBe("one");
  });

  test("a run that waits for a person before its first event keeps its key", async () => {
    await using storage = await open();
    const { ask, rows } = await processOf(storage);
    const facts = { status: "awaiting_approval", approval_id: "approval-1" };
    const waiting: PerformKept = () => {
      throw new AppError("conflict", "approval_required", "It waits.", { details: { facts } });
    };
    expect(await outcome(ask("k", waiting))).toMatchObject({ code: "approval_required", status: 409 });
    expect((await rows()).map(({ status }) => status)).toEqual(["ended"]);
    // There is no such approval here.
    expect(await outcome(ask("k", answering("a second run")))).toMatchObject({ code: "approval_rejected" });
  });

  test("a run of a session that ends while its first steps are written leaves nothing to continue", async () => {
    await using storage = await open();
    const { ask, rows } = await processOf(storage);
    const answer = await ask(undefined, async function* ({ keep }) {
      const steps = await keep?.(() => "same");
      steps?.add(() => ({ kind: "now", key: "k", at: "2026-01-01T00:00:00.000Z" }));
      steps?.hurry();
      await steps?.close();
      yield done("one");
    });
    expect([answer, await rows()]).toEqual(["one", []]);
    const { runSteps } = storage.tables;
    expect(await storage.read.select().from(runSteps)).toEqual([]);
  });

  test("a run whose data can't be read is 503 run_interrupted", async () => {
    await using storage = await open();
    const first = await processOf(storage);
    void first.ask("k", answering("never", hangs));
    while ((await first.rows()).length < 1) await settle();
    const { callerRuns } = storage.tables;
    await storage.transact((tx) => tx.update(callerRuns).set({ request: "no JSON" }));
    const second = await processOf(storage, { dead: [first.owner] });
    await second.continuing(answering("continued")).round();
    await second.untilEnded();
    const asked = answered(second.clock, second.ask("k", answering("other")));
    expect(await outcome(asked)).toMatchObject({ code: "run_interrupted", status: 503 });
  });

  test("who joins a run that was begun without a stream reads its answer as a token", async () => {
    await using storage = await open();
    const { ask, runs, rows } = await processOf(storage);
    const wait = Promise.withResolvers<void>();
    const first = ask("k", answering("one", wait.promise));
    while (!runs.has((await rows())[0]?.id ?? "")) await settle();
    const read: string[] = [];
    const key = { name: "k", asked: () => ({ query: "hi" }) };
    const signal = () => new AbortController().signal;
    const joined = { key, agent: "helper", sessionId: "s", request: undefined, signal };
    const reading = (async () => {
      for await (const event of runs.events(joined, answering("other")))
        read.push(event.type === "token" ? event.content : event.type);
    })();
    while (read.length < 1) await settle();
    wait.resolve();
    await Promise.all([first, reading]);
    expect(read).toEqual(["step", "one", "done"]);
  });

  test("answers are replayed for a day", async () => {
    await using storage = await open();
    const { ask, rows, clock } = await processOf(storage);
    expect(await ask("k", answering("one"))).toBe("one");
    const endedMs = clock.now().getTime();
    await pruneCallerRuns(storage, new Date(endedMs));
    expect(await rows()).toHaveLength(1);
    await pruneCallerRuns(storage, new Date(endedMs + 1));
    expect(await rows()).toEqual([]);
  });
});
