import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { CassetteSummary } from "../../../../src/contracts/daemon/cassettes/cassette-file.ts";
import { openCassetteFolder } from "../../../../src/services/daemon/cassettes/cassette-folder.ts";
import type { CassetteTables } from "../../../../src/services/daemon/cassettes/schema.ts";
import { sharedCassettes } from "../../../../src/services/daemon/cassettes/shared-cassettes.ts";
import { migrations } from "../../../../src/services/daemon/migrations.gen.ts";
import { tables } from "../../../../src/services/daemon/tables.ts";
import type { Storage } from "../../../../src/storage/storage.ts";
import { FakeClock } from "../../../support/fake-clock.ts";
import { onEachEngine } from "../../../support/storage-engines.ts";
import { temporaryFolder } from "../../../support/temp-folder.ts";

const limits = { days: 7, bytesMax: 40, filesMax: 3 };

function nodeOn(storage: Storage<CassetteTables>, clock: FakeClock) {
  const folder = temporaryFolder();
  const own = openCassetteFolder(folder.path, async () => {});
  const copies = openCassetteFolder(join(folder.path, "copies"), async () => {});
  return {
    own,
    shared: sharedCassettes({ storage, own, copies, limits, clock }),
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

const cassette = (id: string, agent = "helper", text = "0123456789") => {
  const counts = { model_calls: 1, tool_calls: 0, events: 2, redactions: 0 };
  const told = { recorded_at: "2026-01-01T00:00:00Z", session_id: "s", query: "q", status: "ok" as const };
  const summary: CassetteSummary = { id, agent, ...told, ...counts };
  // The first line of a recording is the beginning of its JSON.
  return { summary, text: `{"summary":${JSON.stringify(summary)},\n"entries":"${text}"}` };
};

onEachEngine("shared recordings", (engine) => {
  test("what one node records, others list, read and delete; other tenants see nothing", async () => {
    await using storage = await engine.open({ service: "daemon", tables, migrations });
    const clock = new FakeClock();
    using a = nodeOn(storage, clock);
    using b = nodeOn(storage, clock);
    await a.own.keep("t", cassette("r0"));
    await a.shared.keep("t", cassette("r1"));
    await b.shared.keep("t", cassette("r2", "other"));
    const idsOn = async (node: typeof a, query = {}) =>
      (await node.shared.list("t", { limit: 10, ...query })).map(({ id }) => id);
    expect(await idsOn(a)).toEqual(["r2", "r1", "r0"]);
    expect(await idsOn(b)).toEqual(["r2", "r1"]);
    expect(await idsOn(b, { agent: "helper" })).toEqual(["r1"]);
    expect(await idsOn(b, { traceId: "r2" })).toEqual(["r2"]);
    expect(await idsOn(a, { limit: 1 })).toEqual(["r2"]);
    const path = await b.shared.find("t", "r1");
    expect(readFileSync(path ?? "", "utf8")).toBe(cassette("r1").text);
    expect(await b.shared.find("u", "r1")).toBeUndefined();
    expect(await b.shared.list("u", { limit: 10 })).toEqual([]);
    expect([await a.shared.remove("t", "r1"), await a.shared.remove("t", "r1")]).toEqual([true, false]);
    // The copy of the other node is no recording any more.
    expect(await b.shared.find("t", "r1")).toBeUndefined();
    expect(await a.shared.remove("t", "r0")).toBe(true);
  });

  test("the oldest are deleted beyond the limits of age and number", async () => {
    await using storage = await engine.open({ service: "daemon", tables, migrations });
    const clock = new FakeClock();
    using node = nodeOn(storage, clock);
    const ids = async () => (await node.shared.list("t", { limit: 10 })).map(({ id }) => id);
    const rows = storage.tables.cassettes;
    for (const id of ["r1", "r2", "r3", "r4"]) {
      await node.shared.keep("t", cassette(id));
      await storage.transact((tx) => tx.update(rows).set({ bytes: 10 }));
      await clock.advance(1_000);
    }
    await node.shared.prune();
    expect(await ids()).toEqual(["r4", "r3", "r2"]);
    await clock.advance(8 * 24 * 60 * 60_000);
    await node.shared.prune();
    expect(await ids()).toEqual([]);
  });
});
