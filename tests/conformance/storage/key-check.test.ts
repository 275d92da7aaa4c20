import { expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { systemClock } from "../../../src/kit/clock.ts";
import { checkSealingKeys } from "../../../src/storage/sealing/key-check.ts";
import { generateKey, type KeyRing, type RingKey } from "../../../src/storage/sealing/key-ring.ts";
import { createSealer } from "../../../src/storage/sealing/seal.ts";
import type { Storage } from "../../../src/storage/storage.ts";
import { refusal } from "../../support/refusal.ts";
import { onEachEngine } from "../../support/storage-engines.ts";

const check = (storage: Storage, ring: KeyRing) => checkSealingKeys(storage, createSealer(ring), systemClock);
const retire = ({ transact, tables }: Storage, kid: string) =>
  transact((tx) => tx.delete(tables.sealingKeys).where(eq(tables.sealingKeys.kid, kid)));
const named = (kid: string): RingKey => ({ ...generateKey(), kid });
const kids = async ({ read, tables }: Storage) =>
  (await read.select({ kid: tables.sealingKeys.kid }).from(tables.sealingKeys)).map(({ kid }) => kid).sort();

onEachEngine("key check", (engine) => {
  const open = () => engine.open({ tables: () => ({}) });

  test("the same key passes again; another one, or another under the same id, is refused and leaves no trace", async () => {
    await using storage = await open();
    const key = named("k1");
    await check(storage, [key]);
    await check(storage, [key]);
    for (const wrong of [named("k2"), named("k1")]) {
      expect(await refusal(check(storage, [wrong]))).toMatchObject({ code: "sealing_key_wrong" });
    }
    expect(await kids(storage)).toEqual(["k1"]);
  });

  test("a rotated ring passes while it holds the old key, and without it once that is retired", async () => {
    await using storage = await open();
    const [old, fresh] = [named("old"), named("fresh")];
    await check(storage, [old]);
    await check(storage, [fresh, old]);
    expect(await kids(storage)).toEqual(["fresh", "old"]);
    expect((await refusal(check(storage, [fresh]))).code).toBe("sealing_key_wrong");
    await retire(storage, "old");
    await check(storage, [fresh]);
  });

  test("of processes that start together with different keys under one id, one is refused", async () => {
    await using storage = await open();
    const outcomes = await Promise.allSettled([check(storage, [named("k1")]), check(storage, [named("k1")])]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  });
});
