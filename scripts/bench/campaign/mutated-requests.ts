/**
 * Sends mutated requests to each route of the platform, on both engines. Each must be answered with a status that the route documents, none
 * with a 5xx, and nothing may be logged as an error. Prints the answers by status and the process's memory growth; exits with 1 at the
 * first fault.
 *
 *   bun scripts/bench/campaign/mutated-requests.ts [requests] [seed] [sqlite|postgres] [part of a route]
 */
import { startMatrix } from "../../../tests/conformance/platform/matrix-world.ts";
import { fuzzedRoutes, fuzzRoute, liftLimits } from "../../../tests/conformance/platform/request-fuzz.ts";
import { postgresMissing } from "../../../tests/support/postgres.ts";
import { postgresEngine, sqliteEngine } from "../../../tests/support/storage-engines.ts";

const requests = Number(process.argv[2] ?? 10_000);
const seed = Number(process.argv[3] ?? 1);
const dialect = process.argv[4];
const part = process.argv[5] ?? "";
const engines = [sqliteEngine, postgresEngine].filter(
  (engine) => dialect === undefined || engine.dialect === dialect,
);

const megabytes = () => Math.round(process.memoryUsage.rss() / 1024 / 1024);

let total = 0;
for (const engine of engines) {
  if (engine.dialect === "postgres" && postgresMissing !== undefined) {
    console.log(`postgres left out: ${postgresMissing}`);
    continue;
  }
  for (const route of fuzzedRoutes.filter((one) => one.includes(part))) {
    const before = megabytes();
    await using world = await liftLimits(await startMatrix(engine));
    const seen = await fuzzRoute(world, route, { runs: requests, seed });
    const byStatus = [...seen].sort(([a], [b]) => a - b).map(([status, times]) => `${status}×${times}`);
    console.log(`${engine.dialect} ${route}: ${byStatus.join(" ")}; rss ${before} → ${megabytes()} MB`);
    total += requests;
  }
}
console.log(`${total} requests, seed ${seed}: no fault`);
process.exit(0);
