import { expect, test } from "bun:test";
import {
  addManifest,
  deleteManifests,
  findManifest,
  historyBytesMax,
  listManifests,
  versionsMax,
} from "../../../src/services/daemon/agents/history/store.ts";
import { migrations } from "../../../src/services/daemon/migrations.gen.ts";
import { tables } from "../../../src/services/daemon/tables.ts";
import { onEachEngine } from "../../support/storage-engines.ts";

const at = new Date("2026-03-10T12:00:00Z");
const version = (checksum: string, { agent = "a", tenant = "t", manifest = "x", bytes = 1 } = {}) => ({
  ...{ tenant, agent, origin: "api" as const, manifest: JSON.stringify(manifest), bytes, checksum },
  ...{ masked: false, at },
});

onEachEngine("versions of manifests", (engine) => {
  const open = () => engine.open({ service: "daemon", tables, migrations });

  test("are numbered for each agent of each tenant, and the same text makes no new version", async () => {
    await using storage = await open();
    const add = (one: ReturnType<typeof version>) =>
      storage.transact((tx) => addManifest(tx, storage.tables, one));
    for (const one of ["1", "1", "2", "1"]) await add(version(one));
    await add(version("1", { agent: "b" }));
    await add(version("1", { tenant: "u" }));
    const numbers = async (tenant: string, agent: string) =>
      (await listManifests(storage.read, storage.tables, { tenant, agent })).map(({ number }) => number);
    expect(await numbers("t", "a")).toEqual([3, 2, 1]);
    expect(await numbers("t", "b")).toEqual([1]);
    expect(await numbers("u", "a")).toEqual([1]);
    await storage.transact((tx) => deleteManifests(tx, storage.tables, { tenant: "t", agent: "a" }));
    expect(await numbers("t", "a")).toEqual([]);
    expect(await numbers("u", "a")).toEqual([1]);
  });

  test("keep any text, and are few and small", async () => {
    await using storage = await open();
    const key = { tenant: "t", agent: "a" };
    const add = (one: ReturnType<typeof version>) =>
      storage.transact((tx) => addManifest(tx, storage.tables, one));
    const manifest = "\u0000 <img src=x onerror=alert(1)> \u202E \ud800";
    await add(version("hostile", { manifest }));
    const row = await findManifest(storage.read, storage.tables, key, 1);
    expect(JSON.parse(row?.manifest ?? "")).toBe(manifest);
    for (let count = 0; count < versionsMax + 3; count++) await add(version(String(count)));
    expect(await listManifests(storage.read, storage.tables, key)).toHaveLength(versionsMax);
    await add(version("long", { bytes: historyBytesMax - 2 }));
    expect(await listManifests(storage.read, storage.tables, key)).toHaveLength(3);
    await add(version("longer", { bytes: historyBytesMax + 1 }));
    expect((await listManifests(storage.read, storage.tables, key)).map(({ checksum }) => checksum)).toEqual([
      "longer",
    ]);
  });
});
