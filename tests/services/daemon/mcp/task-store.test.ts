import { expect, test } from "bun:test";
import { silentLogger } from "../../../../src/kit/log.ts";
import { McpTasks, type McpTasksPorts } from "../../../../src/services/daemon/mcp/tasks/mcp-tasks.ts";
import type { McpTaskRow } from "../../../../src/services/daemon/mcp/tasks/schema.ts";
import {
  changeTask,
  claimTask,
  endLeases,
  findTask,
  forgetTasks,
  holdTasks,
  insertTask,
  leaveTasks,
  pruneTasks,
} from "../../../../src/services/daemon/mcp/tasks/store.ts";
import { migrations } from "../../../../src/services/daemon/migrations.gen.ts";
import { tables } from "../../../../src/services/daemon/tables.ts";
import { FakeClock } from "../../../support/fake-clock.ts";
import { onEachEngine } from "../../../support/storage-engines.ts";

onEachEngine("tasks of MCP clients", (engine) => {
  async function open() {
    const storage = await engine.open({ service: "daemon", tables, migrations });
    const clock = new FakeClock();
    const later = (ms: number) => new Date(clock.now().getTime() + ms);
    let number = 0;
    const add = async (part: Partial<McpTaskRow> = {}): Promise<McpTaskRow> => {
      const row: McpTaskRow = {
        tenant: "operator",
        id: `task-${number++}`,
        client: "c",
        agent: "helper",
        sessionId: "s",
        status: "working",
        input: JSON.stringify({ query: "hi" }),
        result: null,
        awaits: null,
        createdAt: clock.now(),
        updatedAt: clock.now(),
        interruptions: 0,
        owner: "one",
        heldUntil: later(60_000),
        ...part,
      };
      await insertTask(storage, row);
      return row;
    };
    const read = (row: McpTaskRow) => findTask(storage, row);
    /** A process that knows no agent. */
    const tasks = (owner: string) =>
      new McpTasks({
        storage,
        clock,
        owner,
        log: silentLogger,
        sealer: undefined,
        stopping: new AbortController().signal,
        catalog: { findEntry: () => undefined, list: () => [], statusOf: () => "failed" },
        durable: { forget: async () => {} },
      } as unknown as McpTasksPorts);
    return { storage, clock, later, add, read, tasks };
  }

  test("one process takes over what another left, and each death counts", async () => {
    const { storage, later, add, read } = await open();
    await using _ = storage;
    const [dead, left] = [await add(), await add({ owner: "two" })];
    await leaveTasks(storage, "two");
    await endLeases(storage);
    const terms = { owner: "three", heldUntil: later(60_000) };
    for (const [row, interruptions] of [
      [dead, 1],
      [left, 0],
    ] as const) {
      const seen = (await read(row)) as McpTaskRow;
      const claims = await Promise.all([claimTask(storage, seen, terms), claimTask(storage, seen, terms)]);
      expect(claims.filter(Boolean)).toHaveLength(1);
      expect(await read(row)).toMatchObject({ owner: "three", interruptions });
    }
  });

  test("a run that ended its process three times ends with a failed result", async () => {
    const { storage, clock, add, read, tasks } = await open();
    await using _ = storage;
    const row = await add({ interruptions: 3 });
    await clock.advance(61_000);
    const two = tasks("two");
    await two.keep();
    const ended = (await read(row)) as McpTaskRow;
    expect(ended.status).toBe("completed");
    expect(two.resultOf(ended)).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining("3 times") }],
    });
  });

  test("a task whose agent is gone ends with a failed result; a live lease is left alone", async () => {
    const { storage, clock, add, read, tasks } = await open();
    await using _ = storage;
    const gone = await add();
    await clock.advance(30_000);
    const live = await add();
    await clock.advance(31_000);
    const two = tasks("two");
    await two.keep();
    await two.retire();
    const ended = (await read(gone)) as McpTaskRow;
    expect(ended).toMatchObject({ status: "completed", owner: null });
    expect(two.resultOf(ended)).toMatchObject({ isError: true });
    expect(await read(live)).toMatchObject({ status: "working", owner: "one" });
  });

  test("what was cancelled elsewhere is no longer held, and no late result changes it", async () => {
    const { storage, later, add, read } = await open();
    await using _ = storage;
    const [kept, cancelled] = [await add(), await add()];
    expect(await changeTask(storage, cancelled, { status: "cancelled", owner: null })).toBe(true);
    expect(await holdTasks(storage, "one", [kept.id, cancelled.id], later(90_000))).toEqual([kept.id]);
    expect(await changeTask(storage, cancelled, { status: "completed", result: "late" }, "one")).toBe(false);
    expect(await read(cancelled)).toMatchObject({ status: "cancelled", result: null });
  });

  test("tasks are forgotten with their session or agent, of one tenant, and by age", async () => {
    const { storage, later, add, read } = await open();
    await using _ = storage;
    const [one, two] = [await add(), await add({ sessionId: "t" })];
    const others = await add({ agent: "other" });
    const foreign = await add({ tenant: "t1" });
    expect(await forgetTasks(storage, { tenant: "operator", agent: "helper", sessionId: "s" })).toBe(1);
    expect([await read(one), (await read(two))?.id]).toEqual([undefined, two.id]);
    expect(await forgetTasks(storage, { tenant: "operator", agent: "helper" })).toBe(1);
    expect([(await read(others))?.id, (await read(foreign))?.id]).toEqual([others.id, foreign.id]);
    await pruneTasks(storage, later(1));
    expect([await read(others), await read(foreign)]).toEqual([undefined, undefined]);
  });
});
