/**
 * Measures the time from a tenant's request to the call at the provider, while the gateway is idle. Goal: half of them under 20 ms.
 *
 *   bun scripts/bench/outbox-latency.ts [--messages 200]
 */
import { createSenderOf } from "../../src/channels/outbox/channel-senders.ts";
import { OutboxBell } from "../../src/channels/outbox/outbox-bell.ts";
import { createMessageSender } from "../../src/compose/gateway/message-senders.ts";
import { systemClock } from "../../src/kit/clock.ts";
import { gatewayWorkers } from "../../src/services/gateway/workers.ts";
import { asA, startGateway } from "../../tests/support/gateway.ts";
import { startProviderStandIn } from "../../tests/support/provider-stand-in.ts";
import { sqliteEngine } from "../../tests/support/storage-engines.ts";
import { quantiles } from "./figures.ts";
import { readOptions } from "./options.ts";

const { messages } = readOptions({ messages: 200 });
const provider = await startProviderStandIn([
  { channel: "phone_messenger", account: "PN1", token: "EAAG-access-token-7890" },
]);
const gateway = await startGateway(sqliteEngine, (deps) => {
  const clock = systemClock;
  const senderOf = createSenderOf({ baseUrls: provider.baseUrls, fetch, clock, log: deps.log });
  const settled = new Set(["phone_messenger"] as const);
  const sender = createMessageSender({
    senderOf,
    settled,
    emulated: deps.emulated,
    answered: async () => undefined,
    clock,
  });
  return { ...deps, clock, sender, bell: new OutboxBell(clock) };
});
await gateway.account("a", "phone_messenger", "PN1");
void gatewayWorkers(gateway.deps)[0]?.run(new AbortController().signal);

const tookMs: number[] = [];
for (let index = 0; index < messages; index++) {
  const body = { channel: "phone_messenger", recipient: String(5_215_550_000_000 + index), text: "Hello" };
  const begun = performance.now();
  await gateway.call("POST", "/api/v1/messages/send", { headers: asA, body });
  while (provider.requests.length <= index) await new Promise((resolve) => setImmediate(resolve));
  tookMs.push(performance.now() - begun);
  await Bun.sleep(20);
}
const [p50, p90, p99] = quantiles(tookMs, [0.5, 0.9, 0.99]);
console.log(`request to provider call, ${messages} messages: p50 ${p50} ms, p90 ${p90} ms, p99 ${p99} ms`);
process.exit(0);
