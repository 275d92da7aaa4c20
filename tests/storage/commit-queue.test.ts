import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { AsyncLocalStorage } from "node:async_hooks";
import { inBackground } from "../../src/kit/concurrency/background-work.ts";
import { countSteps, endOfTurn, stepsPerPiece } from "../../src/kit/concurrency/others-turn.ts";
import { CommitQueue } from "../../src/storage/sqlite/commit-queue.ts";
import { FakeClock } from "../support/fake-clock.ts";

function openQueue(sync = async () => {}) {
  const database = new Database(":memory:");
  database.run("create table t (n integer primary key)");
  const commits: string[] = [];
  const statements: string[] = [];
  const counting = {
    get inTransaction() {
      return database.inTransaction;
    },
    query(text: string) {
      if (!text.startsWith("SELECT")) statements.push(text);
      if (text === "COMMIT") commits.push(text);
      return database.query(text);
    },
  } as unknown as Database;
  const insert = (n: number) => async () => void database.query("insert into t values (?)").run(n);
  const stored = () =>
    database
      .query<{ n: number }, []>("select n from t order by n")
      .all()
      .map(({ n }) => n);
  const clock = new FakeClock();
  const queue = new CommitQueue(counting, sync, { clock });
  return { queue, database, commits, statements, insert, stored, clock };
}

test("those who come together share one commit, up to 64", async () => {
  const { queue, commits, insert, stored } = openQueue();
  await Promise.all(Array.from({ length: 64 }, (_, n) => queue.add(insert(n))));
  expect(commits).toHaveLength(1);
  await Promise.all(Array.from({ length: 65 }, (_, n) => queue.add(insert(100 + n))));
  expect(commits).toHaveLength(3);
  expect(stored()).toHaveLength(129);
});

test("jobs that take a piece of the main thread each have a commit of their own", async () => {
  const { queue, commits, insert, stored } = openQueue();
  const large = (n: number) => async () => {
    await insert(n)();
    countSteps(stepsPerPiece);
  };
  await Promise.all(Array.from({ length: 5 }, (_, n) => queue.add(large(n))));
  expect(commits).toHaveLength(5);
  expect(stored()).toHaveLength(5);
});

test("no caller is answered before the commit, and a failed job fails alone", async () => {
  const { queue, insert, database, stored } = openQueue();
  const inTransactionWhenAnswered: boolean[] = [];
  const note = () => inTransactionWhenAnswered.push(database.inTransaction);
  const fails = async () => {
    await insert(2)();
    throw new Error("mine");
  };
  const outcomes = await Promise.allSettled(
    [insert(1), fails, insert(3), insert(1)].map((job) => queue.add(job).finally(note)),
  );
  expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled", "rejected"]);
  expect(inTransactionWhenAnswered).toEqual([false, false, false, false]);
  expect(stored()).toEqual([1, 3]);
});

test("jobs that all succeed need no savepoint, and a failing one costs a second go", async () => {
  const { queue, statements, insert, stored } = openQueue();
  await Promise.all([queue.add(insert(1)), queue.add(insert(2))]);
  expect(statements).toEqual(["BEGIN IMMEDIATE", "COMMIT"]);
  statements.length = 0;
  await Promise.allSettled([queue.add(insert(3)), queue.add(insert(1))]);
  expect(statements.slice(0, 3)).toEqual(["BEGIN IMMEDIATE", "ROLLBACK", "BEGIN IMMEDIATE"]);
  expect(statements.at(-1)).toBe("COMMIT");
  expect(stored()).toEqual([1, 2, 3]);
});

test("a commit that fails refuses the whole batch, and the next batch works", async () => {
  const { queue, database, insert, stored } = openQueue();
  database.run("create table child (n integer references t deferrable initially deferred)");
  database.run("pragma foreign_keys = on");
  const orphan = async () => void database.query("insert into child values (99)").run();
  const outcomes = await Promise.allSettled([queue.add(insert(1)), queue.add(orphan), queue.add(insert(2))]);
  expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
  expect(stored()).toEqual([]);
  await queue.add(insert(3));
  expect(stored()).toEqual([3]);
});

test("when the database itself gives the transaction up, all jobs in it are refused", async () => {
  const { queue, database, insert, stored } = openQueue();
  const givenUp = async () => {
    database.run("ROLLBACK");
    throw new Error("disk full");
  };
  const outcomes = await Promise.allSettled([queue.add(insert(1)), queue.add(givenUp), queue.add(insert(2))]);
  expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected", "fulfilled"]);
  expect(stored()).toEqual([2]);
  await queue.add(insert(4));
  expect(stored()).toEqual([2, 4]);
});

test("each job runs in its own caller's context", async () => {
  const { queue } = openQueue();
  const caller = new AsyncLocalStorage<string>();
  const jobs = ["a", "b", "c"].map((name) =>
    caller.run(name, () => queue.add(async () => caller.getStore())),
  );
  expect(await Promise.all(jobs)).toEqual(["a", "b", "c"]);
});

test("idle waits for what is queued", async () => {
  const { queue, insert, stored } = openQueue();
  await queue.idle();
  for (let n = 0; n < 70; n += 1) void queue.add(insert(n));
  await queue.idle();
  expect(stored()).toHaveLength(70);
});

test("a caller is answered when the disk has confirmed the commit, and those who come meanwhile share the next", async () => {
  const disk: PromiseWithResolvers<void>[] = [];
  const { queue, commits, insert, stored } = openQueue(() => {
    const asked = Promise.withResolvers<void>();
    disk.push(asked);
    return asked.promise;
  });
  const answered: number[] = [];
  const add = (n: number) => queue.add(insert(n)).then(() => void answered.push(n));
  const first = add(1);
  while (disk.length === 0) await endOfTurn();
  expect(stored()).toEqual([1]);
  const others = [add(2), add(3)];
  await endOfTurn();
  expect({ answered, commits: commits.length }).toEqual({ answered: [], commits: 1 });
  disk[0]?.resolve();
  await first;
  while (disk.length === 1) await endOfTurn();
  expect({ answered, commits: commits.length }).toEqual({ answered: [1], commits: 2 });
  disk[1]?.resolve();
  await Promise.all(others);
  expect(answered).toEqual([1, 2, 3]);
});

test("a commit that the disk does not confirm may be stored, and nothing is written after it", async () => {
  let syncs = 0;
  const { queue, insert, stored } = openQueue(async () => {
    syncs++;
    throw Object.assign(new Error("EIO: i/o error, fdatasync"), { code: "EIO" });
  });
  const fault = (job: Promise<unknown>) =>
    job.then(
      () => undefined,
      (thrown) => thrown,
    );
  const [kept, refused] = await Promise.all([
    fault(queue.add(insert(1))),
    fault(queue.add(async () => Promise.reject(new Error("mine")))),
  ]);
  expect(kept).toMatchObject({
    code: "storage_unavailable",
    message: expect.stringContaining("may or may not"),
  });
  expect(refused).toMatchObject({ message: "mine" });
  expect(await fault(queue.add(insert(2)))).toMatchObject({
    kind: "unavailable",
    code: "storage_unavailable",
    message: expect.stringContaining("start Argosy again"),
  });
  expect({ stored: stored(), syncs }).toEqual({ stored: [1], syncs: 1 });
});

test("a commit that changed nothing does not wait for the disk", async () => {
  let syncs = 0;
  const { queue, insert, database } = openQueue(async () => {
    syncs++;
  });
  await queue.add(insert(1));
  await queue.add(async () => void database.query("select n from t").all());
  await queue.add(async () => void database.query("delete from t where n = 99").run());
  expect(syncs).toBe(1);
  await queue.add(insert(2));
  expect(syncs).toBe(2);
});

describe("while jobs are many, background work", () => {
  /** A queue to which more jobs came than it takes without a wait. */
  async function busyQueue() {
    const opened = openQueue();
    const { queue, insert, commits } = opened;
    for (let n = 1000; n < 1100; n++) await queue.add(insert(n));
    commits.length = 0;
    const answered: number[] = [];
    const add = (n: number) => queue.add(insert(n)).then(() => void answered.push(n));
    return { ...opened, answered, add, later: (n: number) => inBackground(() => add(n)) };
  }

  test("shares the commit of the next request, in order", async () => {
    const { add, later, commits, answered, clock } = await busyQueue();
    const jobs = [later(1), later(2)];
    await clock.advance(9);
    expect({ commits: commits.length, answered }).toEqual({ commits: 0, answered: [] });
    await Promise.all([...jobs, add(3)]);
    expect({ commits: commits.length, answered }).toEqual({ commits: 1, answered: [1, 2, 3] });
    expect(clock.pending).toBe(0);
  });

  test("begins a commit of its own when no request comes", async () => {
    const { later, commits, clock } = await busyQueue();
    const jobs = [later(1), later(2)];
    await clock.advance(9);
    expect(commits).toHaveLength(0);
    await clock.advance(1);
    await Promise.all(jobs);
    expect(commits).toHaveLength(1);
  });

  test("begins at once when it fills a commit", async () => {
    const { later, commits } = await busyQueue();
    await Promise.all(Array.from({ length: 64 }, (_, n) => later(n)));
    expect(commits).toHaveLength(1);
  });

  test("does not wait behind a request that came first", async () => {
    const { add, later, commits } = await busyQueue();
    await Promise.all([add(1), later(2)]);
    expect(commits).toHaveLength(1);
  });
});

test("background work begins at once while jobs are few", async () => {
  const { queue, insert, commits, clock } = openQueue();
  for (let n = 0; n < 10; n++) await inBackground(() => queue.add(insert(n)));
  expect(commits).toHaveLength(10);
  expect(clock.pending).toBe(0);
});
