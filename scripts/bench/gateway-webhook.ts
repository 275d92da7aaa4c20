import { startGatewayProgram } from "../../tests/support/gateway-program.ts";

/*
 * Measures how fast the gateway answers deliveries on SQLite, with the daemon and the platform in the same process, while it runs an agent
 * for each message: 200 deliveries a second for 10 seconds (`--rate`, `--seconds`). The goal is 10 ms at the 99th percentile.
 */
const numberOf = (flag: string, fallback: number) => {
  const at = process.argv.indexOf(flag);
  return at < 0 ? fallback : Number(process.argv[at + 1]);
};
const rate = numberOf("--rate", 200);
const seconds = numberOf("--seconds", 10);

await using gateway = await startGatewayProgram(() => ({ text: "Hello." }));
await gateway.setUp({});
const times: number[] = [];
let refused = 0;
const deliver = async (number: number) => {
  const startedMs = performance.now();
  const status = await gateway.deliver(`wamid.${number}`, `52155${10_000 + (number % 5_000)}`, "hi");
  times.push(performance.now() - startedMs);
  if (status !== 200) refused++;
};
const all: Promise<void>[] = [];
const beganMs = performance.now();
for (let number = 0; number < rate * seconds; number++) {
  const dueMs = beganMs + (number * 1000) / rate;
  const waitMs = dueMs - performance.now();
  if (waitMs > 0) await Bun.sleep(waitMs);
  all.push(deliver(number));
}
await Promise.all(all);
times.sort((a, b) => a - b);
const at = (share: number) =>
  (times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0).toFixed(1);
console.log(
  `${times.length} deliveries at ${rate}/s: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, refused ${refused}`,
);
process.exit(0);
