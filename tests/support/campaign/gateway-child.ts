/**
 * A gateway for the campaign that kills it: its routes, workers, storage and senders, with a clock that runs faster. Prints the address it
 * listens at. The argument is a `GatewayLife` as JSON.
 */

import { createSenderOf } from "../../../src/channels/outbox/channel-senders.ts";
import { OutboxBell } from "../../../src/channels/outbox/outbox-bell.ts";
import { awaitReceipts } from "../../../src/channels/outbox/sweep-outbox.ts";
import { createAgentRuns } from "../../../src/compose/gateway/agent-runs.ts";
import { createMessageSender } from "../../../src/compose/gateway/message-senders.ts";
import { type Clock, systemClock } from "../../../src/kit/clock.ts";
import { silentLogger } from "../../../src/kit/log.ts";
import { PostgresServers } from "../../../src/kit/postgres/postgres-servers.ts";
import { WorkerGroup } from "../../../src/kit/worker.ts";
import { migrations } from "../../../src/services/gateway/migrations.gen.ts";
import { tables } from "../../../src/services/gateway/tables.ts";
import { gatewayWorkers } from "../../../src/services/gateway/workers.ts";
import { openStorage } from "../../../src/storage/open-storage.ts";
import { createSealer } from "../../../src/storage/sealing/seal.ts";
import { startGateway } from "../gateway.ts";
import type { TestEngine } from "../storage-engines.ts";
import { type GatewayLife, virtualMs } from "./gateway-lives.ts";

const life: GatewayLife = JSON.parse(process.argv[2] ?? "{}");
const clock: Clock = {
  // Leases and waits of an earlier life go on.
  now: () => new Date(virtualMs(life, Date.now())),
  monotonicMs: () => systemClock.monotonicMs() * life.speed,
  timer: (ms, fire) => systemClock.timer(ms / life.speed, fire),
};
const patienceMs = 120_000;
const storage = await openStorage({
  service: "gateway",
  tables,
  migrations,
  folder: life.folder,
  ...(life.database === undefined ? {} : { url: life.database }),
  // Many processes on a busy machine may wait longer than the product's users would.
  servers: new PostgresServers(systemClock, { hangMs: patienceMs }),
  statementMs: patienceMs,
  log: silentLogger,
  clock,
  random: Math.random,
});
const engine = {
  dialect: storage.dialect,
  open: async () => ({ ...storage, async [Symbol.asyncDispose]() {} }),
} as unknown as TestEngine;
const { url, deps } = await startGateway(engine, (given) => {
  const baseUrls = { graph: life.world, instagram: life.world, bot: life.world };
  const senderOf = createSenderOf({ baseUrls, fetch, clock, log: silentLogger });
  const settled = new Set(["phone_messenger"] as const);
  return {
    ...given,
    clock,
    log: silentLogger,
    random: Math.random,
    sealer: createSealer([{ kid: "k1", secret: Buffer.from(life.sealKey, "hex") }]),
    sender: createMessageSender({
      senderOf,
      settled,
      emulated: given.emulated,
      answered: async () => undefined,
      clock,
    }),
    runs: createAgentRuns(() => ({ fetch, baseUrl: life.world }), clock),
    bell: new OutboxBell(clock),
    inboundBell: new OutboxBell(clock),
  };
});
await awaitReceipts(deps);
process.stdout.write(`${url}\n`);
new WorkerGroup(gatewayWorkers(deps), { clock, random: Math.random, log: silentLogger }).start();
