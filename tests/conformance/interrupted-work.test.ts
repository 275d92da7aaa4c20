import { expect, test } from "bun:test";
import { step as eventStep } from "../../src/channels/inbox/inbound-step.ts";
import { step as messageStep, newOutboxState } from "../../src/channels/outbox/outbox-step.ts";
import { retryParked } from "../../src/compose/parked-work-checkup.ts";
import { claimEvalRun, dueEvalRuns, workOf } from "../../src/evals/hosted/run-store.ts";
import { newId } from "../../src/kit/id.ts";
import { silentLogger } from "../../src/kit/log.ts";
import { WorkerGroup } from "../../src/kit/worker.ts";
import type { MemoryIndex } from "../../src/retrieval/memory/memory-index.ts";
import { MemoryWriter } from "../../src/services/daemon/memory/semantic/memory-writer.ts";
import { dueAtOnce } from "../../src/services/daemon/memory/semantic/store.ts";
import { tables as daemonTables } from "../../src/services/daemon/tables.ts";
import { closeDue } from "../../src/services/platform/billing/closing-job.ts";
import { duePeriods } from "../../src/services/platform/billing/due-periods.ts";
import { evalRunWorker } from "../../src/services/platform/evals/ask-candidate.ts";
import { beginReconcile } from "../../src/services/translator/reconcile/applied-store.ts";
import { resumeReconciles } from "../../src/services/translator/workers.ts";
import { beginWork, interruptedRepeatedly, parkedWork } from "../../src/storage/begun-work.ts";
import { sweepCounted } from "../../src/storage/counted-work.ts";
import { acquireLease } from "../../src/storage/lease.ts";
import type { Storage } from "../../src/storage/storage.ts";
import { asOwner, create, platformWithOwner, specOf } from "../services/platform/agents/sent-spec.ts";
import { endOf, orderRun, putEval } from "../services/platform/evals/staged-evals.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { evalOf } from "../support/hosted-evals.ts";
import { steadyLife } from "../support/steady-life.ts";
import { onEachEngine } from "../support/storage-engines.ts";
import { agentYaml, startTranslator } from "../support/translator.ts";

/*
 * Everything that a process takes up again after another one died. Each is killed three times in its work: a claim without an end, under
 * the name of a process that is dead.
 */

/** Takes the oldest run that is due. */
async function claimOldest(deps: Parameters<typeof dueEvalRuns>[0]) {
  const [due] = await dueEvalRuns(deps, [], false);
  return due && claimEvalRun(deps, due);
}

/** Lets months pass for the platform's tenants. Returns the periods that are due. */
async function duePeriodsOf({ clock, deps: { storage } }: Awaited<ReturnType<typeof platformWithOwner>>) {
  await clock.advance(70 * 24 * 3_600_000);
  return duePeriods(storage.read, storage.tables, clock.now());
}

/** A storage that does nothing more for its process from `kill` on, which resolves when earlier writes have ended. */
function killableStorage<Of extends Storage>(storage: Of) {
  const open = new Set<Promise<unknown>>();
  let isDead = false;
  const transact = (...of: Parameters<Of["transact"]>) => {
    if (isDead) return new Promise(() => {});
    const made = storage.transact(of[0], of[1]);
    open.add(made);
    const end = () => open.delete(made);
    made.then(end, end);
    return made;
  };
  const kill = async () => {
    isDead = true;
    await Promise.allSettled(open);
  };
  return { killable: { ...storage, transact } as Of, kill };
}

const dead = ["p1", "p2", "p3"];
const now = new Date("2026-01-01T00:00:00Z");

onEachEngine("after three processes died with it, what is taken up again is parked", (engine) => {
  test("the run of a hosted eval ends as failed, and its owner may order another", async () => {
    await using platform = await platformWithOwner(engine);
    const { storage } = platform.deps;
    await create(platform, specOf("support"));
    await putEval(platform, evalOf("greets", ["hello"]));
    const ordered = (await orderRun(platform, "greets")).body;
    for (const process of dead) {
      const run = await claimOldest({ storage, process, life: await steadyLife(storage, process) } as never);
      if (run === undefined) throw new Error(`${process} found no run`);
      expect(await beginWork(storage, workOf(run), process)).not.toBe("parked");
      await acquireLease(storage, { name: `process:${process}`, owner: process, ttlMs: -1 });
    }
    const deps = { ...platform.deps, life: await steadyLife(storage, platform.deps.owner) };
    const group = new WorkerGroup([evalRunWorker(deps)], platform.deps);
    group.start();
    const run = await endOf(platform, ordered.id);
    await group.stop(0);
    expect(run).toMatchObject({ status: "failed", error: { error: interruptedRepeatedly } });
    expect(await parkedWork(storage, 10)).toMatchObject([{ kind: "eval_run" }]);
    expect((await orderRun(platform, "greets")).status).toBe(202);
    expect(await parkedWork(storage, 10)).toEqual([]);
    const cancelled = await asOwner(platform, "GET", "/api/v1/eval-runs");
    expect(cancelled.body.runs).toHaveLength(2);
  });

  test("a run that was interrupted waits for another such run, and a new one doesn't", async () => {
    await using platform = await platformWithOwner(engine);
    const { storage } = platform.deps;
    await create(platform, specOf("support"));
    await putEval(platform, evalOf("greets", ["hello"]));
    const { id } = (await orderRun(platform, "greets")).body;
    const deps = { storage, process: "p2", life: await steadyLife(storage, "p2") } as never;
    const first = await claimOldest({
      storage,
      process: "p1",
      life: await steadyLife(storage, "p1"),
    } as never);
    await beginWork(storage, { kind: "eval_run", key: `${first?.ownerId}/${id}` }, "p1");
    await acquireLease(storage, { name: "process:p1", owner: "p1", ttlMs: -1 });
    expect(await dueEvalRuns(deps, [], true)).toEqual([]);
    expect((await claimOldest(deps))?.id).toBe(id);
  });

  test("a reconcile stays open, is logged, and a person's request does it", async () => {
    await using translator = await startTranslator(engine);
    const { deps, call, submit, logged } = translator;
    const spec = await submit(agentYaml("one"));
    const [, , kind = "", name = ""] = new URL(`http://x${spec}`).pathname.slice(1).split("/");
    const open = { account: "local", kind, name, isRemoval: false } as never;
    await deps.storage.transact((tx) => beginReconcile(tx, deps.storage.tables, open, now));
    for (const process of dead)
      await beginWork(deps.storage, { kind: "reconcile", key: `local/${kind}/${name}` }, process);
    await resumeReconciles(deps as never);
    expect(logged.map(({ event }) => event)).toContain("reconcile.parked");
    expect((await call("GET", "/v1/accounts/local/resources")).body.resources).toEqual([]);
    expect((await call("POST", `${spec}/reconcile`)).status).toBe(200);
    expect(await parkedWork(deps.storage, 10)).toEqual([]);
  });

  test("a text of a memory waits, and the other texts of its agent are stored", async () => {
    await using storage = await engine.open({ service: "daemon", tables: daemonTables });
    const owner = { tenant: "t", agent: "a" };
    const write = (text: string) => {
      const id = newId();
      const texts = [{ id, text, metadata: {} }];
      return { ...owner, id, sessionId: "s", user: "", origin: id, texts };
    };
    const stored: string[] = [];
    const open = (process: string) => {
      const died = Promise.withResolvers<void>();
      const { killable, kill } = killableStorage(storage);
      const index = {
        embedder: { dimension: async () => 3 },
        async add(_: unknown, texts: { text: string }[]) {
          if (texts.some(({ text }) => text === "deadly")) {
            void kill().then(died.resolve);
            await new Promise(() => {});
          }
          stored.push(...texts.map(({ text }) => text));
        },
      } as unknown as MemoryIndex;
      const writer = new MemoryWriter({
        storage: killable,
        process,
        clock: new FakeClock(),
        log: silentLogger,
        failed: () => {},
        wayOf: () => "way",
        personOf: (tenant) => tenant,
        indexOf: async () => index,
      });
      return { writer, died: died.promise };
    };
    const first = open("p1");
    await first.writer.put(owner, [write("before"), write("deadly"), write("after")]);
    await first.died;
    for (const process of ["p2", "p3"]) {
      await dueAtOnce(storage);
      const next = open(process);
      await next.writer.put(owner, [write(`with ${process}`)]);
      await next.died;
    }
    await dueAtOnce(storage);
    const last = open("p4");
    await last.writer.put(owner, [write("last")]);
    await last.writer.idle();
    expect(stored.sort()).toEqual(["after", "before", "last", "with p2", "with p3"]);
    expect(await parkedWork(storage, 10)).toMatchObject([{ kind: "memory_writes" }]);
    await last.writer.retry(owner);
    await last.died;
    expect(await parkedWork(storage, 10)).toEqual([]);
  });

  test("rows of a sweep: the deadly one waits, and the others are done", async () => {
    await using storage = await engine.open({ tables: () => ({}) });
    const logged: string[] = [];
    const log = { ...silentLogger, error: (event: string) => void logged.push(event) };
    const left = new Set(["a", "deadly", "b", "c"]);
    const sweep = (process: string, onDeadly: () => Promise<void>) => {
      const { killable, kill } = killableStorage(storage);
      const died = Promise.withResolvers<void>();
      const swept = sweepCounted(killable, [...left], {
        kind: "period_closing",
        owner: process,
        log,
        keyOf: (row) => row,
        async work(row) {
          if (row === "deadly") {
            void kill().then(died.resolve);
            await onDeadly();
          }
          left.delete(row);
        },
      });
      return Promise.race([swept, died.promise]);
    };
    for (const process of dead) await sweep(process, () => new Promise(() => {}));
    for (let time = 0; time < 2; time++) await sweep(`p${time + 4}`, () => new Promise(() => {}));
    expect([...left]).toEqual(["deadly"]);
    expect(logged).toEqual(["work.parked"]);
    expect(await parkedWork(storage, 10)).toMatchObject([{ kind: "period_closing", key: "deadly" }]);
    await expect(retryParked([storage], { kind: "period_closing", key: "deadl" })).rejects.toThrow("No work");
    await expect(retryParked([storage], { kind: "nothing", key: "deadly" })).rejects.toThrow("no kind");
    expect(await retryParked([storage], { kind: "period_closing", key: "dead*" })).toEqual({ retried: 1 });
    await sweep("p6", async () => {});
    expect([...left]).toEqual([]);
  });

  test("a tenant's period stays open, and the others' are closed", async () => {
    await using platform = await platformWithOwner(engine);
    const { deps } = platform;
    const due = await duePeriodsOf(platform);
    const [first] = due;
    if (first === undefined) throw new Error("no period is due");
    const key = `${first.tenantId}/${first.scope}/${first.month}`;
    for (const process of dead) await beginWork(deps.storage, { kind: "period_closing", key }, process);
    expect(await closeDue(deps)).toBe(due.length - 1);
    expect(await parkedWork(deps.storage, 10)).toMatchObject([{ kind: "period_closing", key }]);
    await retryParked([deps.storage], { kind: "period_closing", key });
    expect(await closeDue(deps)).toBe(1);
  });
});

test("a received event is parked, and a process that stops in order doesn't count", () => {
  const waiting = { state: "waiting", tries: 0, interruptions: 0, dueAt: now } as const;
  let event = eventStep(waiting, { type: "claimed" }, now);
  for (const _ of dead)
    event = eventStep(eventStep(event, { type: "stopped" }, now), { type: "claimed" }, now);
  for (const _ of dead) {
    expect(event.state).toBe("working");
    event = eventStep(eventStep(event, { type: "interrupted" }, now), { type: "claimed" }, now);
  }
  expect(event).toMatchObject({ state: "parked", interruptions: 3 });
  expect(eventStep(event, { type: "retried" }, now)).toEqual({ ...waiting });
  expect(eventStep(waiting, { type: "retried" }, now)).toBe(waiting);
});

test.each([[true], [false]])(
  "a message to send fails, whether its channel has receipts (%p) or not, and may be retried",
  (hasReceipts) => {
    let { state } = { state: newOutboxState(now) };
    for (const _ of dead) {
      state = messageStep(state, { type: "claimed" }, now).state;
      state = messageStep(state, { type: "lease_expired", hasReceipts }, now).state;
    }
    const lastError = hasReceipts ? interruptedRepeatedly : "outcome_unknown";
    expect(state).toMatchObject({ status: "failed", lastError });
    expect(messageStep(state, { type: "retried" }, now).state.status).toBe("pending");
  },
);
