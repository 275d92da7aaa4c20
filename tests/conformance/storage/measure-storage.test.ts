import { expect, test } from "bun:test";
import { migrations } from "../../../src/services/daemon/migrations.gen.ts";
import { tables } from "../../../src/services/daemon/tables.ts";
import { agedTraces, insertTraces } from "../../../src/services/daemon/traces/store.ts";
import { measureStorage } from "../../../src/storage/measure-storage.ts";
import { recordedTrace } from "../../support/recorded-trace.ts";
import { onEachEngine } from "../../support/storage-engines.ts";

const traces = (count: number, startedMs: number) =>
  Array.from({ length: count }, (_, at) => ({
    tenant: "x",
    trace: recordedTrace(`${startedMs}-${at}`, startedMs + at, { agent: "a", output: "" }),
  }));

onEachEngine("sizes", (engine) => {
  const open = () => engine.open({ service: "daemon", tables, migrations });

  test("are those of the service's tables", async () => {
    await using storage = await open();
    await insertTraces(storage, traces(300, 1_000));
    const { sizeBytes, tables: measured } = await measureStorage(storage, "daemon");
    expect(sizeBytes).toBeGreaterThan(8_192);
    const found = measured.find(({ table }) => table === "traces");
    if (storage.dialect === "sqlite") expect(found).toEqual({ table: "traces", rows: 300, sizeBytes: null });
    else expect(found?.sizeBytes).toBeGreaterThan(0);
    expect(measured.some(({ table }) => table === "leases")).toBe(true);
    expect(measured.filter(({ table }) => table.startsWith("sqlite_") || table.startsWith("pg_"))).toEqual(
      [],
    );
  });

  test("count the traces that reach their age", async () => {
    await using storage = await open();
    expect(await agedTraces(storage, new Date(2_000))).toEqual({ rows: 0, size_bytes: 0, complete: true });
    await insertTraces(storage, [...traces(3, 1_000), ...traces(2, 9_000)]);
    const aged = await agedTraces(storage, new Date(2_000));
    expect(aged).toMatchObject({ rows: 3, complete: true });
    expect(aged.size_bytes).toBeGreaterThan(0);
  });
});
