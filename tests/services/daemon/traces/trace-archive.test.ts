import { expect, test } from "bun:test";
import { silentLogger } from "../../../../src/kit/log.ts";
import { migrations } from "../../../../src/services/daemon/migrations.gen.ts";
import { tables } from "../../../../src/services/daemon/tables.ts";
import { insertTraces } from "../../../../src/services/daemon/traces/store.ts";
import { createTraceArchive, tracePruner } from "../../../../src/services/daemon/traces/trace-archive.ts";
import { TraceBuffer } from "../../../../src/services/daemon/traces/trace-buffer.ts";
import { openStorage } from "../../../../src/storage/open-storage.ts";
import { FakeClock, settle } from "../../../support/fake-clock.ts";
import { recordedTrace } from "../../../support/recorded-trace.ts";
import { temporaryFolder } from "../../../support/temp-folder.ts";

const dayMs = 24 * 60 * 60 * 1000;

const trace = (id: number, startedAt: Date, output = "") =>
  recordedTrace(`trace-${id}`, startedAt.getTime(), { output });

async function archiveUnderTest() {
  const held = new AsyncDisposableStack();
  const folder = held.use(temporaryFolder());
  const clock = new FakeClock();
  const storage = held.adopt(
    await openStorage({
      service: "daemon",
      tables,
      migrations,
      folder: folder.path,
      log: silentLogger,
      clock,
      random: Math.random,
    }),
    (opened) => opened.close(),
  );
  const buffer = new TraceBuffer((batch) => insertTraces(storage, batch), clock, silentLogger);
  const archive = createTraceArchive(storage, buffer);
  const idsOf = async (limit = 100) =>
    (await archive.list("operator", { limit })).traces.map((each) => Number(each.trace_id.slice(6)));
  return { storage, buffer, archive, clock, idsOf, [Symbol.asyncDispose]: () => held.disposeAsync() };
}

test("what is written and what is still buffered are one list, newest first, each once", async () => {
  await using under = await archiveUnderTest();
  const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second));
  for (const second of [1, 3, 5]) under.buffer.record("operator", trace(second, at(second)));
  await under.buffer.flush();
  // These began before some that have already ended.
  for (const second of [2, 6, 4]) under.buffer.record("operator", trace(second, at(second)));
  expect(await under.idsOf()).toEqual([6, 5, 4, 3, 2, 1]);
  expect(await under.idsOf(3)).toEqual([6, 5, 4]);
  for (const id of [1, 2]) {
    expect((await under.archive.find("operator", `trace-${id}`))?.trace_id).toBe(`trace-${id}`);
    expect(await under.archive.find("tenant", `trace-${id}`)).toBeUndefined();
  }
  // Written again, as after an interrupted flush.
  await insertTraces(under.storage, [{ tenant: "operator", trace: trace(6, at(6)) }]);
  expect(await under.idsOf()).toEqual([6, 5, 4, 3, 2, 1]);
});

test("texts of traces are read from the buffer and the database, of one tenant, where they are kept", async () => {
  await using under = await archiveUnderTest();
  const { archive, buffer, storage } = under;
  const at = new Date(Date.UTC(2026, 0, 1));
  const written = Array.from({ length: 25 }, (_, id) =>
    recordedTrace(`trace-${id}`, at.getTime(), { output: `${id}` }),
  );
  for (const each of written) buffer.record("operator", each);
  await buffer.flush();
  const long = { input: `a\n${"b ".repeat(500)}`, output: "" };
  buffer.record("operator", recordedTrace("pending", at.getTime(), long));
  await insertTraces(storage, [
    { tenant: "other", trace: recordedTrace("other", at.getTime(), { output: "x" }) },
  ]);
  const ids = [...written.map(({ trace_id }) => trace_id), "pending", "other", "unknown"];
  const texts = await archive.texts("operator", ids);
  expect([...texts.keys()].sort()).toEqual([...written.map(({ trace_id }) => trace_id), "pending"].sort());
  for (const [id] of written.entries()) expect(texts.get(`trace-${id}`)).toEqual({ answer: `${id}` });
  expect(texts.get("pending")?.question).toMatch(/^a (b ){90,99}b?$/);
  expect(await archive.texts("operator", [])).toEqual(new Map());
});

test("the pruner forgets, each hour, what is older or more than is kept", async () => {
  await using under = await archiveUnderTest();
  const { clock, buffer, storage } = under;
  const startedAt = clock.now().getTime();
  for (let day = 0; day < 10; day++) {
    buffer.record("operator", trace(day, new Date(startedAt - day * dayMs), "x".repeat(1000)));
  }
  await buffer.flush();
  const stopping = new AbortController();
  const keepAll = Number.MAX_SAFE_INTEGER;
  const byAge = tracePruner(storage, { days: 7, bytesMax: keepAll }, clock).run(stopping.signal);
  await clock.advance(60 * 60 * 1000 - 1);
  expect(await under.idsOf()).toHaveLength(10);
  await clock.advance(1);
  while ((await under.idsOf()).length > 7) await settle();
  expect(await under.idsOf()).toEqual([0, 1, 2, 3, 4, 5, 6]);
  stopping.abort();
  await byAge;

  const stoppingToo = new AbortController();
  const bySize = tracePruner(storage, { days: 7, bytesMax: 4500 }, clock).run(stoppingToo.signal);
  await clock.advance(60 * 60 * 1000);
  while ((await under.idsOf()).length > 3) await settle();
  expect(await under.idsOf()).toEqual([0, 1, 2]);
  stoppingToo.abort();
  await bySize;
});
