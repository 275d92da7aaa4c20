import { parseArgs } from "node:util";
import { startGatewayProgram } from "../../tests/support/gateway-program.ts";

/**
 * Measures how fast the gateway answers deliveries on SQLite while an agent answers each message, with the daemon and the platform in the
 * same process. The first seconds warm the process up and aren't counted. The goal is 10 ms at the 99th percentile.
 *
 *   bun scripts/bench/gateway-webhook.ts [--rate 200] [--seconds 10] [--warm 10]
 */
const { values } = parseArgs({
  options: {
    rate: { type: "string", default: "200" },
    seconds: { type: "string", default: "10" },
    warm: { type: "string", default: "10" },
  },
});
const rate = Number(values.rate);
const seconds = Number(values.seconds);
const warm = Number(values.warm);

await using gateway = await startGatewayProgram(() => ({ text: "Hello." }));
await gateway.setUp({}, { unlimited: true });
const times: number[] = [];
let refused = 0;
async function deliver(number: number, counted: boolean): Promise<void> {
  const startedMs = performance.now();
  const status = await gateway.deliver(`wamid.${number}`, `52155${10_000 + (number % 5_000)}`, "hi");
  if (counted) times.push(performance.now() - startedMs);
  if (status !== 200) refused++;
}

const sent = rate * (warm + seconds);
const answers = () => gateway.provider.sent.filter(({ text }) => text !== undefined).length;
const delivered: Promise<void>[] = [];
const beganMs = performance.now();
for (let number = 0; number < sent; number++) {
  const waitMs = beganMs + (number * 1000) / rate - performance.now();
  if (waitMs > 0) await Bun.sleep(waitMs);
  delivered.push(deliver(number, number >= rate * warm));
}
await Promise.all(delivered);
const answeredAtOnce = answers();
while (answers() < sent) await Bun.sleep(50);
const lateMs = performance.now() - beganMs - (sent * 1000) / rate;

times.sort((a, b) => a - b);
const at = (share: number) =>
  (times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0).toFixed(1);
console.log(
  `${times.length} deliveries at ${rate}/s: p50 ${at(0.5)} ms, p90 ${at(0.9)} ms, p99 ${at(0.99)} ms, refused ${refused}; ` +
    `${sent - answeredAtOnce} of ${sent} messages were unanswered after the last delivery, the last for ${Math.round(lateMs)} ms`,
);
