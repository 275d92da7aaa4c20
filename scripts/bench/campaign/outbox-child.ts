/**
 * A gateway's outbox alone, for the campaign that kills it: the real worker, senders and storage, a receipts route, and a clock that runs
 * faster. Arguments: data folder, address of the provider, speed of the clock, owner of the first port line on stdout.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createSenderOf } from "../../../src/compose/gateway/channel-senders.ts";
import { createMessageSender } from "../../../src/compose/gateway/message-senders.ts";
import { type Clock, systemClock } from "../../../src/kit/clock.ts";
import { newId } from "../../../src/kit/id.ts";
import { silentLogger } from "../../../src/kit/log.ts";
import { EmulatorRing } from "../../../src/services/gateway/emulator/emulator-ring.ts";
import { EventFeed } from "../../../src/services/gateway/events/event-feed.ts";
import { migrations } from "../../../src/services/gateway/migrations.gen.ts";
import { OutboxBell } from "../../../src/services/gateway/outbox/outbox-bell.ts";
import { outboxWorker } from "../../../src/services/gateway/outbox/outbox-worker.ts";
import { recordReceipt } from "../../../src/services/gateway/outbox/record-receipt.ts";
import { tables } from "../../../src/services/gateway/tables.ts";
import { openStorage } from "../../../src/storage/open-storage.ts";

const [folder = "", provider = "", speed = "1"] = process.argv.slice(2);
const factor = Number(speed);
const epochMs = Date.UTC(2026, 0, 1);
const clock: Clock = {
  // The same for each life, so that leases and waits of an earlier one go on.
  now: () => new Date(epochMs + (Date.now() - epochMs) * factor),
  monotonicMs: () => systemClock.monotonicMs() * factor,
  timer: (ms, run) => systemClock.timer(ms / factor, run),
} as Clock;

const storage = await openStorage({
  service: "gateway",
  tables,
  migrations,
  folder,
  log: silentLogger,
  clock,
  random: Math.random,
});
const senderOf = createSenderOf({
  config: { baseUrls: { graph: provider, instagram: provider, bot: provider }, emulate: [] },
  fetch,
  clock,
  log: silentLogger,
});
const ports = {
  storage,
  sender: createMessageSender({
    senderOf,
    settled: new Set(["phone_messenger"]),
    emulated: new EmulatorRing(),
    clock,
  }),
  bell: new OutboxBell(clock),
  feed: new EventFeed(clock),
  owner: newId(),
  clock,
  newId,
  random: Math.random,
  log: silentLogger,
  openAccount: (account: typeof storage.tables.accounts.$inferSelect) => ({
    ...account,
    credentials: { access_token: "token-of-the-campaign", bot_token: "1:token-of-the-campaign" },
  }),
};

const server = createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const { account, token } = JSON.parse(Buffer.concat(chunks).toString());
  const known = await recordReceipt(ports, account, {
    token,
    status: "sent",
    channelMessageId: `wamid.${token}`,
  });
  response.writeHead(known === undefined ? 404 : 200).end();
});
server.listen(0, "127.0.0.1", () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
  void outboxWorker(ports).run(new AbortController().signal);
});
