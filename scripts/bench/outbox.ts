/**
 * Measures the outbox's claims and acknowledgements in batches, with a backlog, on SQLite and PostgreSQL, beside SQLite alone with the shortest
 * statements.
 *
 *   bun scripts/bench/outbox.ts [--backlog 50000] [--batch 500] [--recipients 50000] [--claimers 2]
 */
import { Database } from "bun:sqlite";
import { join } from "node:path";
import { claimMessages } from "../../src/channels/outbox/claim-messages.ts";
import { newOutboxState, step } from "../../src/channels/outbox/outbox-step.ts";
import { laneOf, settleMessages, stateOf } from "../../src/channels/outbox/settle-messages.ts";
import { systemClock } from "../../src/kit/clock.ts";
import { newId } from "../../src/kit/id.ts";
import { silentLogger } from "../../src/kit/log.ts";
import { createAddressFollower } from "../../src/services/gateway/contacts/follow-addresses.ts";
import { migrations } from "../../src/services/gateway/migrations.gen.ts";
import { createOutboxLedger } from "../../src/services/gateway/outbox/outbox-ledger.ts";
import { type GatewayStorage, tables } from "../../src/services/gateway/tables.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import { postgresMissing, postgresServer } from "../../tests/support/postgres.ts";
import { temporaryFolder } from "../../tests/support/temp-folder.ts";
import { readOptions } from "./options.ts";

const { backlog, batch, recipients, claimers } = readOptions({
  backlog: 50_000,
  batch: 500,
  recipients: 50_000,
  claimers: 2,
});

/** Rows of one insert. */
const rowsTogether = 200;

async function addBacklog(storage: GatewayStorage): Promise<void> {
  const now = new Date();
  await storage.transact((tx) =>
    tx.insert(storage.tables.accounts).values({
      id: "phone",
      tenantId: "a",
      channel: "phone_messenger",
      externalId: "PN1",
      credentials: "sealed",
      masked: {},
      emulated: false,
      pausedReason: null,
      quietUntil: null,
      createdAt: now,
    }),
  );
  for (let at = 0; at < backlog; at += rowsTogether) {
    const rows = Array.from({ length: Math.min(rowsTogether, backlog - at) }, (_, index) =>
      messageRow(at + index, now),
    );
    await storage.transact((tx) => tx.insert(storage.tables.outbox).values(rows));
  }
}

/** A row as the queue stores it. Only the first message to each recipient is ready. */
function messageRow(index: number, now: Date): GatewayStorage["tables"]["outbox"]["$inferInsert"] {
  const message = {
    id: newId(),
    tenantId: "a",
    channel: "phone_messenger" as const,
    accountId: "phone",
    recipient: String(5_215_550_000_000 + (index % recipients)),
    conversationId: null,
    source: "api" as const,
    payload: { text: `Message ${index} of a campaign, with a text of the usual length.` },
  };
  const queued = { lane: laneOf(message), isReady: index < recipients, partsDone: 0, createdAt: now };
  return { ...message, ...newOutboxState(now), ...queued };
}

/** Claims and acknowledges until nothing is due; returns how many. */
async function drain(storage: GatewayStorage): Promise<number> {
  const owner = newId();
  let done = 0;
  for (;;) {
    const claim = {
      owner,
      attemptId: newId(),
      now: new Date(),
      limit: batch,
      leaseMs: 45_000,
      busy: [],
    };
    const claimed = await claimMessages(
      {
        storage,
        ledger: createOutboxLedger(
          storage.tables,
          newId,
          createAddressFollower(storage.tables, newId, systemClock),
        ),
      },
      claim,
    );
    if (claimed.length === 0) return done;
    const now = new Date();
    const settled = await settleMessages(
      {
        storage,
        ledger: createOutboxLedger(
          storage.tables,
          newId,
          createAddressFollower(storage.tables, newId, systemClock),
        ),
      },
      claimed.map(({ row }) => ({
        row,
        transition: step(
          stateOf(row),
          { type: "result", result: { action: "sent" }, hasReceipts: true, spread: 0.5 },
          now,
        ),
        channelMessageId: `wamid.${row.id}`,
        partsDone: 1,
      })),
      now,
    );
    done += settled.length;
  }
}

const open = (folder: string, url: string | undefined) =>
  openStorage({
    service: "gateway",
    tables,
    migrations,
    folder,
    ...(url === undefined ? {} : { url }),
    log: silentLogger,
    clock: systemClock,
    random: Math.random,
  });

async function measure(dialect: string, url: string | undefined): Promise<void> {
  using folder = temporaryFolder();
  const storage = await open(folder.path, url);
  await addBacklog(storage);
  const started = performance.now();
  const before = process.cpuUsage();
  const counts = await Promise.all(Array.from({ length: claimers }, () => drain(storage)));
  const done = counts.reduce((total, count) => total + count, 0);
  report(dialect, done, started, before);
  await storage.close();
}

/** The floor: SQLite alone, with the shortest statements that claim and acknowledge the same rows, each in a commit of its own. */
async function measureBare(): Promise<void> {
  using folder = temporaryFolder();
  const storage = await open(folder.path, undefined);
  await addBacklog(storage);
  await storage.close();
  using database = new Database(join(folder.path, "gateway.db"));
  database.run("PRAGMA synchronous = FULL");
  const claim = database.query<{ id: string; payload: string }, [number, number]>(
    "UPDATE outbox SET status = 'sending', is_ready = 0, owner = 'o', attempt_id = 'a', lease_until = ? WHERE id IN (SELECT id FROM outbox WHERE is_ready ORDER BY due_at, id LIMIT ?) RETURNING id, payload",
  );
  const acknowledge = database.query(
    "UPDATE outbox SET status = 'sent', lane = NULL, owner = NULL, attempt_id = NULL, lease_until = NULL, sent_at = ?, parts_done = 1, channel_message_id = 'wamid.' || outbox.id FROM json_each(?) AS given WHERE outbox.id = given.value AND attempt_id = 'a'",
  );
  const started = performance.now();
  const before = process.cpuUsage();
  let done = 0;
  for (;;) {
    const rows = claim.all(Date.now(), batch);
    if (rows.length === 0) break;
    acknowledge.run(Date.now(), JSON.stringify(rows.map(({ id }) => id)));
    done += rows.length;
  }
  report("bare sqlite", done, started, before);
}

function report(title: string, done: number, started: number, before: NodeJS.CpuUsage): void {
  const seconds = (performance.now() - started) / 1000;
  const { user, system } = process.cpuUsage(before);
  // On a machine that does other work, the processor's time says more than the clock.
  const cpuRate = Math.round(done / ((user + system) / 1e6));
  console.log(
    `${title}: claimed and acknowledged ${done} in ${seconds.toFixed(2)} s: ${Math.round(done / seconds)}/s, ${cpuRate} per second of processor time`,
  );
}

await measure("sqlite", undefined);
await measureBare();
if (postgresMissing === undefined) {
  const server = await postgresServer();
  await measure("postgres", await server.createDatabase());
} else console.log(`postgres: ${postgresMissing}`);
process.exit(0);
