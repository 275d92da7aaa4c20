/**
 * Measures what requests cost as stored rows grow, on SQLite or PostgreSQL: medians in milliseconds, and the longest time for which nothing else could run
 * meanwhile, in processor time; then the deletion of old rows.
 *
 *   node_modules/.bin/bun scripts/bench/growth.ts [--rows 100000] [--service daemon,gateway,platform] [--prune no] [--engine postgres]
 */
import { postgresServer } from "../../tests/support/postgres.ts";
import { temporaryFolder } from "../../tests/support/temp-folder.ts";
import { daemonGrowth } from "./growth/daemon.ts";
import { type Figure, measured, type Place } from "./growth/fill.ts";
import { gatewayGrowth } from "./growth/gateway.ts";
import { platformGrowth } from "./growth/platform.ts";
import { readOptions } from "./options.ts";

const { rows, service, prune, engine } = readOptions({
  rows: 100_000,
  service: "daemon,gateway,platform",
  prune: "yes",
  engine: "sqlite",
});

interface Grown {
  storage: AsyncDisposable | { close(): Promise<void> };
  asked: Readonly<Record<string, () => Promise<unknown>>>;
  prune?: () => Promise<unknown>;
  "prune, nothing due"?: () => Promise<unknown>;
}
const services: Readonly<Record<string, (place: Place, rows: number) => Promise<Grown>>> = {
  daemon: daemonGrowth,
  gateway: gatewayGrowth,
  platform: platformGrowth,
};

console.log(`| Request with ${rows.toLocaleString("en-US")} rows | ms | longest block |\n|---|---:|---:|`);
const tell = (name: string, { medianMs, blockMs }: Figure) =>
  console.log(`| ${name} | ${medianMs.toFixed(1)} | ${blockMs.toFixed(0)} |`);
for (const name of service.split(",")) {
  using folder = temporaryFolder();
  const url = engine === "postgres" ? await (await postgresServer()).createDatabase() : undefined;
  const grown = await services[name]?.({ folder: folder.path, url }, rows);
  if (grown === undefined) throw new Error(`There is no service ${name}.`);
  for (const [what, ask] of Object.entries(grown.asked)) tell(`${name}: ${what}`, await measured(ask));
  for (const what of prune === "no" ? [] : (["prune, nothing due", "prune"] as const)) {
    const work = grown[what];
    if (work !== undefined) tell(`${name}: ${what}`, await measured(work, 1));
  }
  await (grown.storage as { close(): Promise<void> }).close();
}
