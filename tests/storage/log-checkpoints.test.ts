import { Database } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { endOfTurn } from "../../src/kit/concurrency/others-turn.ts";
import { silentLogger } from "../../src/kit/log.ts";
import { createCheckpointThread } from "../../src/storage/sqlite/checkpoint-thread.ts";
import { LogCheckpoints } from "../../src/storage/sqlite/log-checkpoints.ts";
import { recordingLogger } from "../support/recording-logger.ts";
import { sampleTables } from "../support/sample-tables.ts";
import { sqliteEngine } from "../support/storage-engines.ts";
import { temporaryFolder } from "../support/temp-folder.ts";

describe("with a thread in the test's hands", () => {
  let folder: ReturnType<typeof temporaryFolder>;
  let file: string;
  let writer: Database;
  let orders: PromiseWithResolvers<void>[];
  let released: string[];
  let checkpoints: LogCheckpoints;

  beforeEach(() => {
    folder = temporaryFolder();
    file = join(folder.path, "t.db");
    writer = new Database(file);
    writer.run("PRAGMA journal_mode = WAL");
    writer.run("create table t (body text)");
    orders = [];
    released = [];
    const thread = {
      move() {
        const order = Promise.withResolvers<void>();
        orders.push(order);
        return order.promise;
      },
      release: async (name: string) => void released.push(name),
      close() {},
    };
    checkpoints = new LogCheckpoints(file, writer, thread);
  });
  afterEach(() => {
    writer.close();
    folder[Symbol.dispose]();
  });

  /** Commits rows that fill about as many pages. Returns what the next commit must wait for. */
  const commit = (pages: number): { rest: Promise<void> | undefined } => {
    writer.transaction(() => {
      for (let row = 0; row < pages; row++) writer.run("insert into t values (?)", ["x".repeat(3_900)]);
    })();
    return { rest: checkpoints.committed() };
  };
  /** What the thread does for an order. */
  const moveLog = async (order: PromiseWithResolvers<void> | undefined) => {
    using other = new Database(file);
    other.query("PRAGMA wal_checkpoint(PASSIVE)").get();
    order?.resolve();
    await endOfTurn();
  };
  const logLength = () =>
    writer.query<{ log: number }, []>("PRAGMA wal_checkpoint(NOOP)").get()?.log ?? Number.NaN;

  test("a short log stays, a long one is moved once while commits continue", () => {
    expect(commit(900).rest).toBeUndefined();
    expect(orders).toHaveLength(0);
    for (const pages of [200, 200, 2_000]) expect(commit(pages).rest).toBeUndefined();
    expect(orders).toHaveLength(1);
  });

  test("a commit waits for the rest of a log that is too long, which then begins anew", async () => {
    commit(1_500);
    {
      // What comes after a reader's view stays in the log, like what comes while the thread is at work.
      using reader = new Database(file, { readonly: true });
      reader.run("BEGIN");
      reader.query("select count(*) from t").get();
      commit(600);
      await moveLog(orders[0]);
    }
    const { rest } = commit(10);
    expect(rest).toBeInstanceOf(Promise);
    expect(orders).toHaveLength(2);
    await moveLog(orders[1]);
    await rest;
    expect(commit(10).rest).toBeUndefined();
    expect(logLength()).toBeLessThan(100);
    expect(orders).toHaveLength(2);
  });

  test("tries that move nothing become no more frequent than the log grows", async () => {
    for (let pages = 0; pages < 10_000; pages += 100) {
      commit(100);
      for (const order of orders) order.resolve();
      await endOfTurn();
    }
    expect(orders.length).toBeGreaterThan(8);
    expect(orders.length).toBeLessThan(20);
  });

  test("closing waits for the thread", async () => {
    commit(1_500);
    const closing = checkpoints.close();
    await Promise.resolve();
    expect(released).toEqual([]);
    orders[0]?.resolve();
    await closing;
    expect(released).toEqual([file]);
  });
});

test("a storage whose thread moves its log keeps it short, and loses nothing", async () => {
  const thread = createCheckpointThread(silentLogger);
  using folder = temporaryFolder();
  const file = join(folder.path, "sample.db");
  const rows = 4_000;
  {
    await using storage = await sqliteEngine.open({ tables: sampleTables, file, checkpoints: thread });
    const { things } = storage.tables;
    const write = (id: number) =>
      storage.transact((tx) => tx.insert(things).values({ id: `${id}`, body: "x".repeat(3_000) }));
    let id = 0;
    while (id < rows) await Promise.all(Array.from({ length: 40 }, () => write(id++)));
    using other = new Database(file, { readonly: true });
    const log = () => other.query<{ log: number }, []>("PRAGMA wal_checkpoint(NOOP)").get()?.log ?? 0;
    while (log() > 1_000) await write(id++);
    expect(await storage.read.$count(things)).toBe(id);
  }
  expect(existsSync(`${file}-wal`)).toBe(false);
  using reopened = new Database(file, { readonly: true });
  expect(reopened.query("PRAGMA integrity_check").get()).toEqual({ integrity_check: "ok" });
  thread.close();
});

test("a file that can't be opened is reported, and does not keep callers waiting", async () => {
  const { log, logged } = recordingLogger();
  const thread = createCheckpointThread(log);
  using folder = temporaryFolder();
  await thread.move(join(folder.path, "none/t.db"));
  expect(logged).toMatchObject([{ event: "storage.checkpoint_failed" }]);
  thread.close();
  await thread.release("t.db");
});

test("orders that wait when the thread ends are done", async () => {
  const thread = createCheckpointThread(silentLogger);
  using folder = temporaryFolder();
  const moved = thread.move(join(folder.path, "t.db"));
  thread.close();
  await moved;
});
