import { expect, test } from "bun:test";
import { inboundRow } from "../../../../src/channels/inbox/event-row.ts";
import { inboundWorker } from "../../../../src/channels/inbox/inbound-worker.ts";
import { keepEvents } from "../../../../src/channels/inbox/keep-events.ts";
import { startGateway, type TestGateway } from "../../../support/gateway.ts";
import { socketTurns } from "../../../support/socket-turns.ts";
import { onEachEngine } from "../../../support/storage-engines.ts";

const workers = 8;
/** Turns of the event loop in which what may begin has begun. */
const turnsMax = 5_000;
const greedyTenants = ["greedy1", "greedy2", "greedy3"];

/** Stores one event of an own conversation for each key. */
async function send({ deps }: TestGateway, tenantId: string, accountId: string, keys: readonly string[]) {
  const { storage, clock, newId, inboundRoom, inboundBell } = deps;
  const now = clock.now();
  const rows = keys.map((key) => {
    const event = {
      type: "status",
      account: accountId,
      dedupeKey: key,
      messageId: key,
      status: "sent",
      at: now,
    };
    const account = { id: accountId, tenantId, channel: "phone_messenger" as const };
    return inboundRow(event as never, account, { proof: "hmac-sha256", now }, newId);
  });
  await keepEvents(storage, rows, inboundRoom);
  inboundBell.ring();
}

onEachEngine("delivered events", (engine) => {
  test("of one person with three tenants and nine accounts leave workers for another's customer", async () => {
    await using gateway = await startGateway(engine);
    const { deps } = gateway;
    for (const tenant of greedyTenants) deps.tenantOwners.told(tenant, "one person");
    const keys = Array.from({ length: 20 }, (_, one) => `${one}`);
    for (const [number, tenant] of greedyTenants.entries()) {
      for (let account = 0; account < 3; account++) await send(gateway, tenant, `g${number}${account}`, keys);
    }
    const begun: string[] = [];
    const done = Promise.withResolvers<void>();
    const stopping = new AbortController();
    const running = inboundWorker({
      ...deps,
      workers,
      process: async (row) => {
        begun.push(row.tenantId);
        await done.promise;
        return { type: "later", waitMs: 3_600_000 };
      },
      park: async () => undefined,
    }).run(stopping.signal);
    const share = (workers * 3) / 4;
    const until = async (isDone: () => boolean) => {
      for (let turns = 0; turns < turnsMax && !isDone(); turns++) await socketTurns(2);
    };
    await until(() => begun.length >= share);
    await send(gateway, "modest", "m", ["1"]);
    await until(() => begun.includes("modest"));
    stopping.abort();
    done.resolve();
    await running;
    // The greedy person has begun no more than its share.
    expect(begun.indexOf("modest")).toBe(share);
  });
});
