import { parseArgs } from "node:util";
import { postgresServer } from "../../tests/support/postgres.ts";
import { killGateways } from "./campaign/gateway-lives.ts";

const usage = `Kills gateways while customers write and programs send, and counts at the provider what was lost or doubled. SIGINT
and SIGTERM end the campaign early: what was killed until then is judged.

  bun scripts/bench/gateway-kills.ts [--kills 10000] [--postgres] [--gateways 1] [--events 80] [--speed 20] [--seed 1]`;

const { values } = parseArgs({
  options: {
    kills: { type: "string", default: "10000" },
    postgres: { type: "boolean", default: false },
    gateways: { type: "string", default: "1" },
    events: { type: "string", default: "80" },
    speed: { type: "string", default: "20" },
    seed: { type: "string", default: "1" },
    help: { type: "boolean" },
  },
});
if (values.help === true) {
  console.log(usage);
  process.exit(0);
}
const gateways = Number(values.gateways);
if (gateways > 1 && !values.postgres) {
  console.error("A SQLite file has one gateway. Add --postgres to run several.");
  process.exit(1);
}
const stop = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop.abort());
const started = performance.now();
const { lost, doubled, runTwice, unsettled, deaf, unfinished, ...others } = await killGateways({
  kills: Number(values.kills),
  gateways,
  ...(values.postgres ? { database: await (await postgresServer()).createDatabase() } : {}),
  speed: Number(values.speed),
  eventsBetween: Number(values.events),
  seed: Number(values.seed),
  signal: stop.signal,
  onKill: (kills) => {
    if (kills % 10 === 0)
      console.error(`${kills} kills, ${Math.round((performance.now() - started) / 1000)} s`);
  },
});
const faults = { lost, doubled, runTwice, unsettled, deaf, unfinished };
const seconds = Math.round((performance.now() - started) / 1000);
console.log(JSON.stringify({ ...others, ...faults, seconds }));
process.exit(Object.values(faults).every((count) => count === 0) ? 0 : 1);
