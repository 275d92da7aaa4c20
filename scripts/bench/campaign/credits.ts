/**
 * Runs the suite's credit tests at full size, on both engines: caps under parallel runs of many seeds, and a rate limit.
 *
 *   bun scripts/bench/campaign/credits.ts [seeds] [parallel]
 */
import { postgresMissing, postgresServer } from "../../../tests/support/postgres.ts";
import { creditCapCampaign, rateCampaign } from "./credit-cap.ts";

const seeds = Number(process.argv[2] ?? 1000);
const parallel = Number(process.argv[3] ?? 200);

let isSound = true;
const engines = postgresMissing === undefined ? ["sqlite", "postgres"] : ["sqlite"];
for (const engine of engines) {
  const database = async () => (engine === "sqlite" ? undefined : (await postgresServer()).createDatabase());
  const startedMs = performance.now();
  const { admitted, refused, faults } = await creditCapCampaign({ seeds, parallel }, await database());
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
  console.log(
    `${engine.padEnd(9)} cap: ${seeds} seeds of ${parallel} at once: ${admitted} admitted, ${refused} refused, ${faults.length} faults, ${seconds} s`,
  );
  for (const fault of faults.slice(0, 10)) console.log(`          ${fault}`);
  const passed = await rateCampaign({ calls: 1200, maxRpm: 1000 }, await database());
  console.log(`${engine.padEnd(9)} rate: 1200 calls at once on a limit of 1000: ${passed} passed`);
  isSound &&= faults.length === 0 && passed === 1000;
}
if (postgresMissing !== undefined) console.log(`postgres  skipped: ${postgresMissing}`);
process.exit(isSound ? 0 : 1);
