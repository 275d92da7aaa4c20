/**
 * Runs the suite's billing tests at full size, on both engines: usage events against the closing of their period, random postings against
 * sums of big integers, and years of months against a second implementation of the bill.
 *
 *   bun scripts/bench/campaign/billing.ts [races] [postings] [years]
 */
import { BillingYear } from "../../../tests/support/billing-year.ts";
import { raceClosing } from "../../../tests/support/closing-races.ts";
import { postAtRandom } from "../../../tests/support/ledger-postings.ts";
import { startPlatform, type TestPlatform } from "../../../tests/support/platform.ts";
import { postgresMissing, postgresServer } from "../../../tests/support/postgres.ts";
import type { TestEngine } from "../../../tests/support/storage-engines.ts";
import { openLedger } from "./open-ledger.ts";

const races = Number(process.argv[2] ?? 1000);
const postings = Number(process.argv[3] ?? 1_000_000);
const years = Number(process.argv[4] ?? 20);

/** One part of the campaign, with its figures and faults. */
type Part = (platform: () => Promise<TestPlatform>) => Promise<{ figures: object; faults: string[] }>;

const parts: Record<string, Part> = {
  async races(start) {
    await using platform = await start();
    const { wrong, ...figures } = await raceClosing(platform, races, 1);
    return { figures: { races, ...figures }, faults: wrong };
  },
  async postings(start) {
    await using platform = await start();
    const { differences, postedMicros, ...figures } = await postAtRandom(platform, postings, 1);
    return { figures: { ...figures, postedMicros: String(postedMicros) }, faults: differences };
  },
  async years(start) {
    const figures = { years, bills: 0 };
    const faults: string[] = [];
    for (let seed = 1; seed <= years; seed++) {
      await using platform = await start();
      const year = new BillingYear(platform, seed);
      await year.live();
      figures.bills += year.compared;
      faults.push(...year.differences);
    }
    return { figures, faults };
  },
};

function engineOf(dialect: TestEngine["dialect"]): TestEngine {
  const url = async () =>
    dialect === "sqlite" ? undefined : await (await postgresServer()).createDatabase();
  return { dialect, open: (async () => openLedger(await url())) as unknown as TestEngine["open"] };
}

let isSound = true;
for (const dialect of postgresMissing === undefined
  ? (["sqlite", "postgres"] as const)
  : (["sqlite"] as const)) {
  for (const [name, part] of Object.entries(parts)) {
    const startedMs = performance.now();
    const { figures, faults } = await part(() => startPlatform(engineOf(dialect)));
    const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
    console.log(
      `${dialect.padEnd(9)} ${name.padEnd(9)} ${JSON.stringify(figures)}, ${faults.length} faults, ${seconds} s`,
    );
    for (const fault of faults.slice(0, 5)) console.log(`          ${fault}`);
    isSound &&= faults.length === 0;
  }
}
if (postgresMissing !== undefined) console.log(`postgres  skipped: ${postgresMissing}`);
process.exit(isSound ? 0 : 1);
