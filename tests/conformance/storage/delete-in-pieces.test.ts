import { expect, test } from "bun:test";
import { lt } from "drizzle-orm";
import { deleteInPieces } from "../../../src/storage/delete-in-pieces.ts";
import type { Columns } from "../../../src/storage/tables/columns.ts";
import { onEachEngine } from "../../support/storage-engines.ts";

const tables = ({ table, id, integer, primaryKey }: Columns) => ({
  kept: table("kept", { tenant: id("tenant").notNull(), number: integer("number").notNull() }, (row) => [
    primaryKey({ columns: [row.tenant, row.number] }),
  ]),
});

onEachEngine("deletion in pieces", ({ open }) => {
  test("deletes every row that meets the condition, in transactions of a few rows, and no other", async () => {
    await using storage = await open({ tables });
    const { kept } = storage.tables;
    await storage.transact((tx) =>
      tx.insert(kept).values(Array.from({ length: 25 }, (_, number) => ({ tenant: "t", number }))),
    );
    let transactions = 0;
    const counted = {
      ...storage,
      transact: (...call: Parameters<typeof storage.transact>) => {
        transactions++;
        return storage.transact(...call);
      },
    } as typeof storage;
    expect(await deleteInPieces(counted, kept, lt(kept.number, 20), { rows: 8 })).toBe(20);
    expect(transactions).toBe(3);
    const left = await storage.read.select({ number: kept.number }).from(kept).orderBy(kept.number);
    expect(left.map(({ number }) => number)).toEqual([20, 21, 22, 23, 24]);
    expect(await deleteInPieces(storage, kept, lt(kept.number, 20), { rows: 8 })).toBe(0);
  });

  test("ends between two transactions when its signal aborts", async () => {
    await using storage = await open({ tables });
    const { kept } = storage.tables;
    await storage.transact((tx) =>
      tx.insert(kept).values(Array.from({ length: 25 }, (_, number) => ({ tenant: "t", number }))),
    );
    const signal = AbortSignal.abort();
    expect(await deleteInPieces(storage, kept, lt(kept.number, 20), { rows: 8, signal })).toBe(8);
  });
});
