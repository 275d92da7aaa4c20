import { expect, test } from "bun:test";
import { inboundWorker } from "../../../src/channels/inbox/inbound-worker.ts";
import { outboxWorker } from "../../../src/channels/outbox/outbox-worker.ts";
import { parkEvent, processEvent } from "../../../src/services/gateway/processing/process-event.ts";
import { fullDisk } from "../../../src/storage/database-error.ts";
import { type FailingDatabase, failingDatabase } from "../../support/failing-database.ts";
import { asAdmin, deliver, startGateway, type TestGateway } from "../../support/gateway.ts";
import { sqliteEngine } from "../../support/storage-engines.ts";

/*
 * A message on its way from the delivery to the answer at the provider, and an outage of the database that begins at each of the statements
 * of that way.
 */

const outageMs = 20_000;
const recoveryMs = 5_000;
const stepMs = 250;

async function startAnswering(): Promise<TestGateway & { stop(): Promise<void> }> {
  const gateway = await startGateway(sqliteEngine);
  const { deps } = gateway;
  const account_id = await gateway.account("a", "echo", "e1");
  const binding = { tenant_id: "a", channel: "echo", account_id, entry_agent: "support" };
  const body = { ...binding, config: { platform_api_key: "a-key-of-the-platform" } };
  expect((await gateway.call("POST", "/admin/bindings", { headers: asAdmin, body })).status).toBe(201);
  const stopping = new AbortController();
  const running = [
    inboundWorker({
      ...deps,
      workers: 4,
      process: (row, signal) => processEvent(deps, row, signal),
      park: (row) => parkEvent(deps, row),
    }),
    outboxWorker({ ...deps, openAccount: (account) => account as never }),
  ].map((worker) => worker.run(stopping.signal));
  return Object.assign(gateway, {
    async stop() {
      stopping.abort();
      await Promise.all(running);
    },
  });
}

/** Advances the clock step by step, as work over a real disk goes on in between. */
async function advance({ clock, deps: { storage } }: TestGateway, ms: number): Promise<void> {
  for (let passedMs = 0; passedMs < ms; passedMs += stepMs) {
    await clock.advance(stepMs);
    await storage.transact(async () => undefined).catch(() => undefined);
  }
}

async function answeredIn(database: FailingDatabase, place: number): Promise<Record<string, unknown>> {
  await using gateway = await startAnswering();
  const { deps, platform, provider } = gateway;
  await advance(gateway, stepMs);
  const text = { from: "ana", text: "hi", id: "1" };
  expect((await deliver(gateway, "echo", text, { account: "e1", headers: {} })).status).toBe(200);
  const before = database.statements;
  database.failAfter(place, fullDisk);
  await advance(gateway, outageMs);
  database.heal();
  const during = database.statements - before;
  await advance(gateway, recoveryMs);
  const { inbound, outbox } = deps.storage.tables;
  const [event] = await deps.storage.read.select().from(inbound);
  const [message] = await deps.storage.read.select().from(outbox);
  await gateway.stop();
  const { state, tries, interruptions } = event ?? {};
  const sent = provider.sent.length;
  return {
    place,
    during,
    state,
    tries,
    interruptions,
    runs: platform.runs.length,
    sent,
    is: message?.status,
  };
}

test("a message is answered once, within 5 s of an outage at any statement of its way", async () => {
  using database = failingDatabase();
  const well = await answeredIn(database, Number.POSITIVE_INFINITY);
  const answered = { state: "done", tries: 0, interruptions: 0, runs: 1, sent: 1, is: "sent" };
  expect(well).toMatchObject(answered);
  const failed: unknown[] = [];
  for (let place = 0; place < 40; place++) {
    const found = await answeredIn(database, place);
    if (!Bun.deepMatch(answered, found)) failed.push(found);
  }
  expect(failed).toEqual([]);
}, 120_000);
