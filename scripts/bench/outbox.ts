import { parseArgs } from "node:util";
import { systemClock } from "../../src/kit/clock.ts";
import { newId } from "../../src/kit/id.ts";
import { silentLogger } from "../../src/kit/log.ts";
import { migrations } from "../../src/services/gateway/migrations.gen.ts";
import { claimMessages } from "../../src/services/gateway/outbox/claim-messages.ts";
import { enqueueMessage } from "../../src/services/gateway/outbox/enqueue-message.ts";
import { step } from "../../src/services/gateway/outbox/outbox-step.ts";
import { settleMessages, stateOf } from "../../src/services/gateway/outbox/settle-messages.ts";
import { type GatewayStorage, tables } from "../../src/services/gateway/tables.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import { postgresMissing, postgresServer } from "../../tests/support/postgres.ts";
import { temporaryFolder } from "../../tests/support/temp-folder.ts";

const usage = `Measures the outbox's claims and acknowledgements in batches, with a backlog.

  bun scripts/bench/outbox.ts [--backlog 50000] [--batch 500] [--recipients 50000] [--claimers 2]`;

const { values } = parseArgs({
  options: {
    backlog: { type: "string", default: "50000" },
    batch: { type: "string", default: "500" },
    recipients: { type: "string", default: "50000" },
    claimers: { type: "string", default: "2" },
    help: { type: "boolean" },
  },
});
if (values.help === true) {
  console.log(usage);
  process.exit(0);
}
const [backlog, batch, recipients, claimers] = [
  values.backlog,
  values.batch,
  values.recipients,
  values.claimers,
].map(Number) as [number, number, number, number];

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
  for (let at = 0; at < backlog; at += 1000) {
    await storage.transact(async (tx) => {
      for (let index = at; index < Math.min(backlog, at + 1000); index++) {
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
        await enqueueMessage(tx, storage.tables, message, now);
      }
    });
  }
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
      tenantMax: batch,
    };
    const claimed = await claimMessages(storage, claim);
    if (claimed.length === 0) return done;
    const now = new Date();
    const settled = await settleMessages(
      storage,
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

async function measure(dialect: string, url: string | undefined): Promise<void> {
  using folder = temporaryFolder();
  const storage = await openStorage({
    service: "gateway",
    tables,
    migrations,
    folder: folder.path,
    ...(url === undefined ? {} : { url }),
    log: silentLogger,
    clock: systemClock,
    random: Math.random,
  });
  const filling = performance.now();
  await addBacklog(storage);
  const filledMs = performance.now() - filling;
  const started = performance.now();
  const before = process.cpuUsage();
  const counts = await Promise.all(Array.from({ length: claimers }, () => drain(storage)));
  const seconds = (performance.now() - started) / 1000;
  const done = counts.reduce((total, count) => total + count, 0);
  const { user, system } = process.cpuUsage(before);
  const rate = Math.round(done / seconds);
  // On a machine that does other work, the processor's time says more than the clock.
  const cpuRate = Math.round(done / ((user + system) / 1e6));
  console.log(
    `${dialect}: queued ${backlog} in ${(filledMs / 1000).toFixed(1)} s; claimed and acknowledged ${done} in ${seconds.toFixed(2)} s: ${rate}/s, ${cpuRate} per second of processor time`,
  );
  await storage.close();
}

await measure("sqlite", undefined);
if (postgresMissing === undefined) {
  const server = await postgresServer();
  await measure("postgres", await server.createDatabase());
} else console.log(`postgres: ${postgresMissing}`);
process.exit(0);
