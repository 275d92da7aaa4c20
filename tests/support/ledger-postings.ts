import type { RuntimeUsage } from "../../src/contracts/runtime/runs.ts";
import { closeDue } from "../../src/services/platform/billing/closing-job.ts";
import { addToCounter, counterKeys } from "../../src/services/platform/counters/credit-counters.ts";
import { priceRun, type Rates } from "../../src/services/platform/tariffs/price-run.ts";
import { addPlans, basePlanBody, plan, subscribe } from "./billing.ts";
import { billOf, halfUp, modelBill, type TenantStory } from "./billing-model.ts";
import { seeded } from "./campaign/seeded.ts";
import { asOperator, type TestPlatform } from "./platform.ts";

export interface LedgerCheck {
  postings: number;
  /** Total of all postings, by the model. */
  postedMicros: bigint;
  bills: number;
  differences: string[];
}

const months = ["2026-03", "2026-04", "2026-05", "2026-06"];
const tenantsCount = 5;
const atOnce = 500;
const noCap = { credit_cap_period_micros: null };

/** Posts the prices of random runs to random counters, closes every month, and compares all bills with sums of big integers. */
export async function postAtRandom(
  platform: TestPlatform,
  postings: number,
  seed: number,
): Promise<LedgerCheck> {
  const random = seeded(seed);
  const base = basePlanBody({ extra_credit_price_micros: 1_234_567, ...noCap });
  const erp = plan({ extra_credit_price_micros: 999_999, ...noCap });
  await addPlans(platform, base, erp);
  const stories: TenantStory[] = [];
  for (let count = 0; count < tenantsCount; count++) stories.push(await storyOf(platform, base, erp));
  const check: LedgerCheck = { postings: 0, postedMicros: 0n, bills: 0, differences: [] };
  while (check.postings < postings) {
    const batch = Math.min(atOnce, postings - check.postings);
    await postBatch(
      platform,
      Array.from({ length: batch }, () => randomPosting(stories, random)),
    );
    check.postings += batch;
  }
  await platform.clock.advance(Date.parse("2026-07-10T00:00:00Z") - platform.clock.now().getTime());
  await closeDue(platform.deps);
  for (const story of stories) {
    for (const { micros } of story.runs) check.postedMicros += micros;
    for (const month of months) await compare(platform, story, month, check);
  }
  return check;
}

async function storyOf(
  platform: TestPlatform,
  base: ReturnType<typeof basePlanBody>,
  erp: ReturnType<typeof plan>,
): Promise<TenantStory> {
  const tenant = await platform.tenant();
  const body = { plan_id: base.id };
  await platform.call("PUT", `/api/v1/admin/tenants/${tenant.id}/plan`, { headers: asOperator, body });
  const { id, desde } = await subscribe(platform, tenant);
  const nowMs = platform.clock.now().getTime();
  return {
    id: tenant.id,
    createdAt: nowMs,
    base: [{ at: nowMs, plan: base }],
    subscriptions: [
      { id, argo: "erp", desde, plans: [{ at: Date.parse("2026-03-01"), plan: erp }], events: [] },
    ],
    // One sum for each counter.
    runs: months.flatMap((month) =>
      [null, id].map((subscriptionId) => ({
        at: Date.parse(`${month}-20T00:00:00Z`),
        subscriptionId,
        micros: 0n,
      })),
    ),
  };
}

interface Posting {
  tenantId: string;
  subscriptionId: string | null;
  month: string;
  micros: number;
}

/** Returns a random posting: the platform's price is posted, and the model's is added to the story. */
function randomPosting(stories: readonly TenantStory[], random: () => number): Posting {
  const pick = <T>(items: readonly T[]) => items[Math.floor(random() * items.length)] as T;
  const story = pick(stories);
  const run = pick(story.runs);
  const rates: Rates = {
    creditsIn: Math.floor(random() ** 4 * 900_000_000),
    creditsOut: Math.floor(random() * 1_000_000),
    creditsCached: Math.floor(random() * 1000),
    providerIn: 0,
    providerOut: 0,
    infraPerSecond: 0,
  };
  const usage = Array.from({ length: 1 + Math.floor(random() * 3) }, () => randomUsage(random));
  const numerator = usage.reduce((sum, { tokens_in, tokens_out, tokens_cached }) => {
    const cached = tokens_cached > tokens_in ? tokens_in : tokens_cached;
    const fresh = BigInt(tokens_in - cached) * BigInt(rates.creditsIn);
    return (
      sum +
      fresh +
      BigInt(cached) * BigInt(rates.creditsCached) +
      BigInt(tokens_out) * BigInt(rates.creditsOut)
    );
  }, 0n);
  run.micros += halfUp(numerator, 1000n);
  const { creditsMicros } = priceRun(usage, () => rates, 1);
  const month = new Date(run.at).toISOString().slice(0, 7);
  return { tenantId: story.id, subscriptionId: run.subscriptionId, month, micros: creditsMicros };
}

function randomUsage(random: () => number): RuntimeUsage {
  const tokens = () => Math.floor(random() ** 3 * 10_000);
  const model = { provider: "lab", model: "test-model", role: "main", estimated: false };
  return { ...model, tokens_in: tokens(), tokens_out: tokens(), tokens_cached: tokens() };
}

async function postBatch({ deps: { storage } }: TestPlatform, postings: readonly Posting[]): Promise<void> {
  await storage.transact(async (tx) => {
    for (const { tenantId, subscriptionId, month, micros } of postings) {
      for (const key of counterKeys(tenantId, subscriptionId, month)) {
        await addToCounter(tx, storage.tables, key, { chargedMicros: micros });
      }
    }
  });
}

async function compare(
  platform: TestPlatform,
  story: TenantStory,
  month: string,
  check: LedgerCheck,
): Promise<void> {
  const path = `/api/v1/admin/tenants/${story.id}/statement?period=${month}`;
  const { body } = await platform.call("GET", path, { headers: asOperator });
  const expected = modelBill(story, month, "9999-12-31");
  check.bills++;
  if (body.provisional === false && Bun.deepEquals(billOf(body), expected)) return;
  check.differences.push(Bun.inspect({ month, got: billOf(body), expected }));
}
