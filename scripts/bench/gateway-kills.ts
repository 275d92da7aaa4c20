/**
 * Kills gateways while customers write and programs send, and counts at the provider what was lost or doubled. SIGINT and SIGTERM end the
 * campaign early: what was killed until then is judged.
 *
 *   bun scripts/bench/gateway-kills.ts [--kills 10000] [--postgres] [--gateways 1] [--events 80] [--speed 20] [--seed 1]
 */
import { killGateways } from "../../tests/support/campaign/gateway-lives.ts";
import { postgresServer } from "../../tests/support/postgres.ts";
import { readOptions } from "./options.ts";

const { kills, postgres, gateways, events, speed, seed } = readOptions({
  kills: 10_000,
  postgres: false,
  gateways: 1,
  events: 80,
  speed: 20,
  seed: 1,
});
if (gateways > 1 && !postgres) {
  console.error("A SQLite file has one gateway. Add --postgres to run several.");
  process.exit(1);
}
const stop = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop.abort());
const started = performance.now();
const { lost, doubled, runTwice, unsettled, deaf, unfinished, ...others } = await killGateways({
  kills,
  gateways,
  ...(postgres ? { database: await (await postgresServer()).createDatabase() } : {}),
  speed,
  eventsBetween: events,
  seed,
  signal: stop.signal,
  onKill: (done) => {
    if (done % 10 === 0)
      console.error(`${done} kills, ${Math.round((performance.now() - started) / 1000)} s`);
  },
});
const faults = { lost, doubled, runTwice, unsettled, deaf, unfinished };
const seconds = Math.round((performance.now() - started) / 1000);
console.log(JSON.stringify({ ...others, ...faults, seconds }));
process.exit(Object.values(faults).every((count) => count === 0) ? 0 : 1);
