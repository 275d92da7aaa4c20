/**
 * Runs the suite's run tests at full size, on both engines: runs with readers who leave, failures and time-outs, on a platform that is
 * killed repeatedly.
 *
 *   bun scripts/bench/campaign/runs.ts [kills] [runs between them]
 */
import { postgresMissing, postgresServer } from "../../../tests/support/postgres.ts";
import { livesCampaign } from "./lives.ts";

const kills = Number(process.argv[2] ?? 100);
const runsBetween = Number(process.argv[3] ?? 60);

let isSound = true;
const engines = postgresMissing === undefined ? ["sqlite", "postgres"] : ["sqlite"];
for (const engine of engines) {
  const url = engine === "sqlite" ? undefined : await (await postgresServer()).createDatabase();
  const startedMs = performance.now();
  const { faults, ...figures } = await livesCampaign({ kills, runsBetween }, url);
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
  console.log(`${engine.padEnd(9)} ${JSON.stringify(figures)}, ${faults.length} faults, ${seconds} s`);
  for (const fault of faults.slice(0, 10)) console.log(`          ${fault}`);
  isSound &&= faults.length === 0;
}
if (postgresMissing !== undefined) console.log(`postgres  skipped: ${postgresMissing}`);
process.exit(isSound ? 0 : 1);
