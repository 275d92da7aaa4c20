import { expect, test } from "bun:test";
import type { RunnableAgent } from "../../../../src/engine/agents/runnable-agent.ts";
import type { Trigger } from "../../../../src/engine/triggers/compile-triggers.ts";
import { offsetIn } from "../../../../src/kit/cron/next-instant.ts";
import { parseCron } from "../../../../src/kit/cron/parse-cron.ts";
import { newId } from "../../../../src/kit/id.ts";
import { silentLogger } from "../../../../src/kit/log.ts";
import type { TriggerEntry } from "../../../../src/manifest/agent/triggers.ts";
import { tables } from "../../../../src/services/daemon/tables.ts";
import { createFireSources } from "../../../../src/services/daemon/triggers/fire-sources.ts";
import type { FireRow } from "../../../../src/services/daemon/triggers/schema.ts";
import {
  type FireEnd,
  forgetTriggers,
  listFires,
  listTriggers,
  pauseTrigger,
} from "../../../../src/services/daemon/triggers/store.ts";
import { Triggers } from "../../../../src/services/daemon/triggers/triggers.ts";
import { FakeClock } from "../../../support/fake-clock.ts";
import { onEachEngine } from "../../../support/storage-engines.ts";

type Declared = Partial<TriggerEntry> & Pick<TriggerEntry, "type">;

function trigger(declared: Declared): Trigger {
  const whole = { name: "it", query: "q", ...declared } as TriggerEntry;
  const made: Trigger = { declared: whole, ask: async () => ({ query: "q" }) };
  if (whole.type !== "schedule") return made;
  const pattern = parseCron(whole.cron);
  const offsetAt = offsetIn(whole.timezone);
  if ("fault" in pattern || offsetAt === undefined) throw new Error(whole.cron);
  return { ...made, schedule: { pattern, offsetAt } };
}

const agentWith = (name: string, triggers: readonly Trigger[]) =>
  ({ name, triggers: new Map(triggers.map((one) => [one.declared.name, one])) }) as unknown as RunnableAgent;

const hourly: Declared = { type: "schedule", cron: "0 * * * *", timezone: "UTC", missed: "latest" };

onEachEngine("fires", (engine) => {
  async function open(...declared: Declared[]) {
    const storage = await engine.open({ service: "daemon", tables });
    const clock = new FakeClock("2026-01-01T08:30:00.000Z");
    const listeners: (() => void)[] = [];
    let agents = [agentWith("helper", declared.map(trigger))];
    const catalog = {
      list: () => agents.map((agent) => ({ name: agent.name, agent, sources: [] })),
      findEntry: (name: string) => catalog.list().find((entry) => entry.name === name),
      getLoaded: async (name: string) => catalog.findEntry(name)?.agent as RunnableAgent,
      onChange: (listener: () => void) => void listeners.push(listener),
    };
    const ran: { process: string; fire: FireRow }[] = [];
    /** What a run waits for before it ends. */
    let hold: Promise<unknown> = Promise.resolve();
    const process = (owner: string, isDurable = true) =>
      new Triggers({
        isDurable,
        runsMax: 8,
        ...{ storage, owner, catalog, clock, newId, log: silentLogger },
        stopping: new AbortController().signal,
        async run(_, fire): Promise<FireEnd> {
          ran.push({ process: owner, fire });
          await hold;
          return { status: "completed", endedAt: clock.now(), traceId: `trace-${fire.key}` };
        },
      });
    const round = async (triggers: Triggers) => {
      await triggers.round();
      await triggers.tidy();
      await triggers.idle();
    };
    const fires = async (name = "it") =>
      (
        await listFires(
          storage,
          { tenant: "operator", agent: "helper", name },
          { before: undefined, limit: 100 },
        )
      ).map(({ key, status, payload }) => ({ key, status, payload }));
    return {
      ...{ storage, clock, process, round, fires, ran },
      holdRuns(until: Promise<unknown>) {
        hold = until;
      },
      load(next: RunnableAgent[]) {
        agents = next;
        for (const listener of listeners) listener();
      },
      sources: createFireSources({ tables: storage.tables, clock, newId }),
    };
  }

  test("a schedule fires at its time, once, whichever of two processes sees it first", async () => {
    const { storage, clock, process, round, fires, ran } = await open(hourly);
    await using _ = storage;
    const [one, two] = [process("one"), process("two")];
    await round(one);
    await round(two);
    expect(await fires()).toEqual([]);
    await clock.advance(30 * 60_000);
    await Promise.all([round(one), round(two)]);
    await Promise.all([round(one), round(two)]);
    expect(await fires()).toEqual([
      { key: "at:2026-01-01T09:00:00.000Z", status: "completed", payload: null },
    ]);
    expect(ran).toHaveLength(1);
    await clock.advance(60 * 60_000);
    await round(two);
    await round(one);
    expect(await fires()).toHaveLength(2);
    expect(ran).toHaveLength(2);
  });

  test("many processes claim many fires, and each fire runs once", async () => {
    const { storage, process, ran, round } = await open({ type: "webhook" });
    await using _ = storage;
    const processes = ["a", "b", "c"].map((owner) => process(owner));
    const [first] = processes as [Triggers];
    for (let number = 0; number < 30; number++)
      await first.fire(await first.get("helper", "it"), { key: `k${number}`, payload: {}, byPerson: false });
    for (let rounds = 0; rounds < 5; rounds++) await Promise.all(processes.map(round));
    expect(ran.map(({ fire }) => fire.key).sort()).toEqual(
      Array.from({ length: 30 }, (_, n) => `k${n}`).sort(),
    );
  });

  test("what a process missed is made up for at its next start, as the policy says", async () => {
    const { storage, clock, process, round, fires } = await open(hourly);
    await using _ = storage;
    await round(process("before"));
    await clock.advance(5 * 60 * 60_000);
    const next = process("after");
    await round(next);
    await round(next);
    expect((await fires()).map(({ key }) => key)).toEqual(["at:2026-01-01T13:00:00.000Z"]);
  });

  test("a changed expression makes up for nothing that the old one missed", async () => {
    const { storage, clock, process, round, fires, load } = await open(hourly);
    await using _ = storage;
    await round(process("before"));
    await clock.advance(5 * 60 * 60_000);
    load([agentWith("helper", [trigger({ ...hourly, cron: "*/5 * * * *" } as Declared)])]);
    const next = process("after");
    await round(next);
    expect(await fires()).toEqual([]);
    await clock.advance(5 * 60_000);
    await round(next);
    expect((await fires()).map(({ key }) => key)).toEqual(["at:2026-01-01T13:35:00.000Z"]);
  });

  test("a paused trigger fires nothing and makes up for nothing, over a restart too", async () => {
    const { storage, clock, process, round, fires, sources } = await open(hourly, {
      type: "document",
      name: "docs",
      collection: "handbook",
      changes: ["created"],
    });
    await using _ = storage;
    await round(process("one"));
    for (const name of ["it", "docs"])
      expect(await pauseTrigger(storage, { tenant: "operator", agent: "helper", name }, true)).toBe(true);
    await clock.advance(2 * 60 * 60_000);
    const two = process("two");
    await round(two);
    const changed = { tenant: "operator", collection: "handbook", change: "created" as const, write: "w" };
    await storage.transact((tx) => sources.documentsChanged(tx, { ...changed, documents: ["a"] }));
    await pauseTrigger(storage, { tenant: "operator", agent: "helper", name: "it" }, false);
    await round(two);
    expect(await fires()).toEqual([]);
    expect(await fires("docs")).toEqual([]);
  });

  test("a fire that a dead process had begun is taken up by the next, until three processes died with it", async () => {
    const { storage, clock, process, round, fires, ran, holdRuns } = await open({ type: "webhook" });
    await using _ = storage;
    const never = Promise.withResolvers<void>();
    holdRuns(never.promise);
    const first = process("0");
    await first.fire(await first.get("helper", "it"), { key: "k", payload: { a: 1 }, byPerson: false });
    for (const number of [0, 1, 2]) {
      const dead = process(`${number}`);
      await dead.round();
      expect(ran.map(({ process }) => process)).toHaveLength(number + 1);
      if (storage.dialect === "postgres") await clock.advance(61_000);
    }
    holdRuns(Promise.resolve());
    await round(process("3"));
    expect(await fires()).toMatchObject([{ key: "k", status: "completed" }]);
    expect(new Set(ran.map(({ fire }) => fire.id)).size).toBe(1);
    never.resolve();
    expect(await storage.read.select().from(storage.tables.begunWork)).toEqual([]);
  });

  test("without durable runs, a fire that a dead process had begun is interrupted and not begun again", async () => {
    const { storage, clock, process, round, fires, ran, holdRuns } = await open({ type: "webhook" });
    await using _ = storage;
    const dead = process("dead", false);
    const never = Promise.withResolvers<void>();
    holdRuns(never.promise);
    await dead.fire(await dead.get("helper", "it"), { key: "k", payload: { a: 1 }, byPerson: false });
    await dead.round();
    expect(await fires()).toEqual([{ key: "k", status: "running", payload: { a: 1 } }]);
    if (storage.dialect === "postgres") {
      await round(process("early", false));
      expect((await fires())[0]?.status).toBe("running");
      await clock.advance(61_000);
    }
    await round(process("next", false));
    expect(await fires()).toEqual([{ key: "k", status: "interrupted", payload: null }]);
    expect(ran).toHaveLength(1);
    never.resolve();
    await dead.idle();
    // It was only slow, and can't write over what is known of it.
    expect((await fires())[0]?.status).toBe("interrupted");
  });

  test("a process that lives keeps what it runs, however long that takes", async () => {
    const { storage, clock, process, fires, holdRuns } = await open({ type: "webhook" });
    await using _ = storage;
    const [one, two] = [process("one"), process("two")];
    await two.round();
    const held = Promise.withResolvers<void>();
    holdRuns(held.promise);
    await one.fire(await one.get("helper", "it"), { key: "k", payload: {}, byPerson: false });
    for (let number = 0; number < 20; number++) {
      await one.round();
      await two.round();
      await clock.advance(10_000);
    }
    held.resolve();
    await one.idle();
    expect((await fires())[0]?.status).toBe("completed");
  });

  test("the same key fires once, and the 201st that waits is 503", async () => {
    const { storage, process } = await open({ type: "webhook" });
    await using _ = storage;
    const one = process("one");
    const loaded = await one.get("helper", "it");
    const fire = (key: string) => one.fire(loaded, { key, payload: {}, byPerson: false });
    const [first, again] = [await fire("k"), await fire("k")];
    expect(again.id).toBe(first.id);
    for (let number = 1; number < 200; number++) await fire(`k${number}`);
    expect((await fire("k")).id).toBe(first.id);
    await expect(fire("one more")).rejects.toMatchObject({ code: "trigger_queue_full", status: 503 });
  });

  test("documents of a watched collection fire once a write, and those of other tenants and collections never", async () => {
    const { storage, process, round, fires, sources } = await open({
      type: "document",
      collection: "handbook",
      changes: ["created", "deleted"],
    });
    await using _ = storage;
    const one = process("one");
    await round(one);
    const changed = { tenant: "operator", collection: "handbook", write: "w" };
    await storage.transact(async (tx) => {
      const documents = Array.from({ length: 150 }, (_, number) => `d${number}`);
      await sources.documentsChanged(tx, { ...changed, change: "created", documents });
      await sources.documentsChanged(tx, { ...changed, change: "replaced", documents: ["a"] });
      await sources.documentsChanged(tx, { ...changed, change: "deleted", documents: [] });
      await sources.documentsChanged(tx, {
        ...changed,
        tenant: "other",
        change: "created",
        documents: ["a"],
      });
      await sources.documentsChanged(tx, {
        ...changed,
        collection: "x",
        change: "created",
        documents: ["a"],
      });
    });
    const [only, ...others] = await fires();
    expect(others).toEqual([]);
    expect(only).toMatchObject({
      key: "w:created",
      status: "queued",
      payload: { collection: "handbook", change: "created", count: 150 },
    });
    const documents = (only?.payload as { documents: string[] } | undefined)?.documents;
    expect(documents).toHaveLength(100);
    await round(one);
    expect((await fires())[0]?.status).toBe("completed");
  });

  test("a message fires the triggers of its channel once, however often it is delivered", async () => {
    const { storage, process, round, fires, sources } = await open({
      type: "message",
      channel: "phone_messenger",
    });
    await using _ = storage;
    await round(process("one"));
    const message = {
      tenant: "operator",
      channel: "phone_messenger",
      account: "1",
      from: "+34",
      kind: "text",
    };
    for (let times = 0; times < 2; times++)
      await storage.transact((tx) => sources.messageArrived(tx, { ...message, text: "hi", messageId: "m" }));
    expect(await fires()).toMatchObject([{ key: "1:m", payload: { from: "+34", text: "hi" } }]);
  });

  test("a fire whose trigger nobody has expires after an hour, and all is deleted after 30 days", async () => {
    const { storage, clock, process, round, fires, load } = await open({ type: "webhook" });
    await using _ = storage;
    const one = process("one");
    await round(one);
    await one.fire(await one.get("helper", "it"), { key: "k", payload: {}, byPerson: false });
    load([]);
    await clock.advance(59 * 60_000);
    await round(process("two"));
    expect((await fires())[0]?.status).toBe("queued");
    await clock.advance(2 * 60_000);
    await round(process("three"));
    expect((await fires())[0]?.status).toBe("expired");
    await clock.advance(30 * 24 * 60 * 60_000);
    await round(process("four"));
    expect(await fires()).toEqual([]);
    expect(await listTriggers(storage, "operator")).toEqual([]);
  });

  test("a deleted agent leaves nothing of its triggers, and another's stay", async () => {
    const { storage, process, round, load } = await open({ type: "webhook" });
    await using _ = storage;
    load([
      agentWith("helper", [trigger({ type: "webhook" })]),
      agentWith("other", [trigger({ type: "webhook" })]),
    ]);
    await round(process("one"));
    await forgetTriggers(storage, { tenant: "operator", agent: "helper" });
    expect((await listTriggers(storage, "operator")).map(({ agent }) => agent)).toEqual(["other"]);
  });
});
