import { expect, test } from "bun:test";
import type { Index, Table } from "@lancedb/lancedb";
import * as arrow from "apache-arrow";
import { LanceTable } from "../../../../src/retrieval/stores/lancedb/lance-table.ts";
import type { LanceLibrary } from "../../../../src/retrieval/stores/lancedb/native/lance-library.ts";
import { rowColumns } from "../../../../src/retrieval/stores/lancedb/rows/row-columns.ts";
import { batchOf } from "../../../support/lance-store.ts";

/** A table of 10,001 rows whose additions take no time and whose compactions end when they are told to. */
function stagedTable() {
  let version = 1;
  let additions = 0;
  const compactions: (() => void)[] = [];
  const builds: (() => void)[] = [];
  const handle = {
    checkoutLatest: async () => {},
    version: async () => version,
    countRows: async (where?: string) => (where === undefined ? 10_001 : 0),
    query: () => ({ select: async function* () {} }),
    async add() {
      additions++;
      return { version: ++version };
    },
    optimize: () => new Promise<void>((resolve) => compactions.push(resolve)),
    createIndex: () => new Promise<void>((resolve) => builds.push(resolve)),
    close: () => {},
  };
  const table = new LanceTable({
    library: { arrow } as unknown as LanceLibrary,
    name: "staged",
    handle: handle as unknown as Table,
    dimension: 2,
    wrote: () => {},
    compact: async (of) => void (await of.optimize(new Date(0))),
    trimHeaps: () => {},
  });
  return { table, compactions, builds, additions: () => additions };
}

/** Nothing in the staged table waits for anything but promises, so everything that can go on has gone on after some turns. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
}

test("additions to a large table don't outrun its compaction", async () => {
  const { table, compactions, additions } = stagedTable();
  const first = table.optimize(new Date(0));
  compactions.shift()?.();
  await first;
  const writing = (async () => {
    for (let index = 0; index < 450; index++) await table.add(rowColumns(batchOf([{ id: `r${index}` }]), 2));
  })();
  await turns();
  // A compaction is due after 100 additions, the square root of the rows, and the next after 100 more.
  expect(compactions).toHaveLength(1);
  expect(additions()).toBe(200);
  compactions.shift()?.();
  await turns();
  // The addition that found it ended has started the next one.
  expect(compactions).toHaveLength(1);
  expect(additions()).toBe(301);
  for (let later = 0; later < 3; later++) {
    compactions.shift()?.();
    await turns();
  }
  await writing;
  expect(additions()).toBe(450);
  await table.close();
});

test("a compaction and the build of an index don't run at the same time", async () => {
  const { table, compactions, builds, additions } = stagedTable();
  const first = table.optimize(new Date(0));
  expect(await table.index("vector", "early", {} as Index)).toBe(false);
  compactions.shift()?.();
  await first;
  const building = table.index("vector", "vector_100_idx", {} as Index);
  expect(await table.optimize(new Date(0))).toBe(false);
  const writing = (async () => {
    for (let index = 0; index < 150; index++) await table.add(rowColumns(batchOf([{ id: `r${index}` }]), 2));
  })();
  await turns();
  // The compaction that is due after 100 additions, and with it the next addition, waits for the build.
  expect([builds.length, compactions.length, additions()]).toEqual([1, 0, 100]);
  builds.shift()?.();
  expect(await building).toBe(true);
  await turns();
  expect(compactions).toHaveLength(1);
  compactions.shift()?.();
  await writing;
  expect(additions()).toBe(150);
  await table.close();
});
