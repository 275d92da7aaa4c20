/**
 * Measures the time from a tenant's request to the call at the provider, while the gateway is idle. Goal: half of them under 20 ms.
 *
 *   bun scripts/bench/outbox-latency.ts [messages]
 */
import { createSenderOf } from "../../src/compose/gateway/channel-senders.ts";
import { createMessageSender } from "../../src/compose/gateway/message-senders.ts";
import { systemClock } from "../../src/kit/clock.ts";
import { OutboxBell } from "../../src/services/gateway/outbox/outbox-bell.ts";
import { gatewayWorkers } from "../../src/services/gateway/workers.ts";
import { asA, startGateway } from "../../tests/support/gateway.ts";
import { startProviderStandIn } from "../../tests/support/provider-stand-in.ts";
import { sqliteEngine } from "../../tests/support/storage-engines.ts";

const messages = Number(process.argv[2] ?? 200);
const provider = await startProviderStandIn([
  { channel: "phone_messenger", account: "PN1", token: "EAAG-access-token-7890" },
]);
const gateway = await startGateway(sqliteEngine, (deps) => {
  const clock = systemClock;
  const config = { baseUrls: provider.baseUrls, emulate: [] };
  const senderOf = createSenderOf({ config, fetch, clock, log: deps.log });
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
tookMs.sort((a, b) => a - b);
const at = (share: number) => (tookMs[Math.floor(tookMs.length * share)] ?? 0).toFixed(1);
console.log(
  `request to provider call, ${messages} messages: p50 ${at(0.5)} ms, p90 ${at(0.9)} ms, p99 ${at(0.99)} ms`,
);
process.exit(0);
