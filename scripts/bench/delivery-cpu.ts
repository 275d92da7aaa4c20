/**
 * Measures the processor's time of one delivery on SQLite, from its bytes to the commit, without the processing of its message.
 *
 *   bun scripts/bench/delivery-cpu.ts [--deliveries 4000] [--together 4]
 */
import { KnownOwners } from "../../src/kit/concurrency/known-owners.ts";
import { InboundRoom } from "../../src/services/gateway/inbound/inbound-room.ts";
import { receiveDelivery } from "../../src/services/gateway/inbound/receive-delivery.ts";
import { signed, startGateway } from "../../tests/support/gateway.ts";
import { deliveryOf, textMessage } from "../../tests/support/message-provider.ts";
import { sqliteEngine } from "../../tests/support/storage-engines.ts";
import { readOptions } from "./options.ts";

const { deliveries, together } = readOptions({ deliveries: 4_000, together: 4 });
const gateway = await startGateway(sqliteEngine, (deps) => ({
  ...deps,
  inboundRoom: new InboundRoom(deps.storage, 1_000_000, new KnownOwners()),
}));
await gateway.account("a", "phone_messenger", "PNID1");
let number = 0;
const deliver = async () => {
  const message = textMessage(`wamid.${number}`, "Hello, is the blue one still there?", {
    from: String(5_215_550_000_000 + number++),
  });
  const body = deliveryOf([message]);
  const raw = {
    headers: new Headers(signed("phone_messenger", body)),
    body: Buffer.from(body),
    account: undefined,
  };
  await receiveDelivery(gateway.deps, "phone_messenger", raw);
};
const round = async (count: number) => {
  for (let done = 0; done < count; done += together)
    await Promise.all(Array.from({ length: together }, deliver));
};
await round(500);
const before = process.cpuUsage();
await round(deliveries);
const { user, system } = process.cpuUsage(before);
console.log(
  `${deliveries} deliveries, ${together} at a time: ${Math.round((user + system) / deliveries)} µs of processor time each`,
);
process.exit(0);
