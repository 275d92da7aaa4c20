import { lt } from "drizzle-orm";
import { type Clock, sleep } from "../../kit/clock.ts";
import type { Worker } from "../../kit/worker.ts";
import { openAccount } from "./accounts/credentials.ts";
import type { GatewayDeps } from "./deps.ts";
import { outboxWorker } from "./outbox/outbox-worker.ts";
import type { GatewayStorage } from "./tables.ts";

const hourMs = 60 * 60_000;
const dayMs = 24 * hourMs;
/** Times that records are kept. */
const outboxDays = 90;
const messageDays = 365;

/** Background workers of the gateway, in order of starting. */
export const gatewayWorkers = (deps: GatewayDeps): Worker[] => [
  outboxWorker({
    ...deps,
    openAccount: (account) => openAccount(deps.sealer, account),
    onResult: (channel, result) => deps.metrics.sendTried(channel, result),
  }),
  {
    name: "gateway-retention",
    async run(signal) {
      while (!signal.aborted) {
        await dropOldRecords(deps);
        await sleep(deps.clock, hourMs, signal).catch(() => undefined);
      }
    },
  },
];

/** Deletes messages that were kept for their time, over all tenants. */
export async function dropOldRecords({
  storage,
  clock,
}: {
  storage: GatewayStorage;
  clock: Clock;
}): Promise<void> {
  const { outbox, trail, conversationMessages } = storage.tables;
  const before = (days: number) => new Date(clock.now().getTime() - days * dayMs);
  await storage.transact(async (tx) => {
    await tx
      .delete(outbox)
      .where(lt(outbox.createdAt, before(outboxDays)))
      .returning({ id: outbox.id });
    await tx
      .delete(trail)
      .where(lt(trail.at, before(outboxDays)))
      .returning({ id: trail.id });
    await tx
      .delete(conversationMessages)
      .where(lt(conversationMessages.at, before(messageDays)))
      .returning({ id: conversationMessages.id });
  });
}
