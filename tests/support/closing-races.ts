import { eq } from "drizzle-orm";
import { AppError } from "../../src/kit/app-error.ts";
import { newId } from "../../src/kit/id.ts";
import { closePeriod } from "../../src/services/platform/billing/close-period.ts";
import { recordUsage } from "../../src/services/platform/subscriptions/record-usage.ts";
import { addPlans, plan, subscribe, usageEvent } from "./billing.ts";
import { seeded } from "./campaign/seeded.ts";
import type { TestPlatform } from "./platform.ts";

export interface RaceCounts {
  /** Number of events that were counted, and of those refused because their period was closed. */
  counted: number;
  refused: number;
  /** Races in which the charges did not match the counted events exactly. */
  wrong: string[];
}

const eventsARace = 4;

/** Races usage events against the closing of their period; each race has a subscription of its own. */
export async function raceClosing(platform: TestPlatform, races: number, seed: number): Promise<RaceCounts> {
  const random = seeded(seed);
  const unit = { incluidas: 0, excedente_micros: 1 };
  await addPlans(platform, plan({ spec: { unidades: { "erp.docs": unit }, features: {} } }));
  const counts: RaceCounts = { counted: 0, refused: 0, wrong: [] };
  for (let race = 0; race < races; race++) await raceOnce(platform, counts, random);
  return counts;
}

async function raceOnce(platform: TestPlatform, counts: RaceCounts, random: () => number): Promise<void> {
  const { deps, clock } = platform;
  const tenant = await platform.tenant();
  const { id } = await subscribe(platform, tenant);
  const key = { tenantId: tenant.id, scope: id, month: clock.now().toISOString().slice(0, 7) };
  let sum = 0;
  const send = async (index: number) => {
    const cantidad = 10 ** index;
    const input = usageEvent(platform, { id }, { event_id: `e${index}`, cantidad });
    try {
      const { isNew } = await recordUsage(deps, { tenantId: tenant.id, author: "key:k" }, input);
      if (isNew) sum += cantidad;
      counts.counted++;
    } catch (thrown) {
      if (!(thrown instanceof AppError) || thrown.code !== "period_closed") throw thrown;
      counts.refused++;
    }
  };
  const close = () => closePeriod(deps.storage, key, { now: clock.now(), newId });
  // Random statements before the start: on PostgreSQL the first to start would otherwise always get the lock first.
  const late = async (run: () => Promise<unknown>) => {
    for (let turns = Math.floor(random() * 6); turns > 0; turns--) {
      await deps.storage.read.$count(deps.storage.tables.plans);
    }
    return run();
  };
  const runners = [close, close, ...Array.from({ length: eventsARace }, (_, index) => () => send(index))];
  await Promise.all(shuffled(runners, random).map(late));
  const { charges } = deps.storage.tables;
  const written = await deps.storage.read.select().from(charges).where(eq(charges.tenantId, tenant.id));
  const lines = written.filter(
    ({ subscriptionId, type }) => subscriptionId === id && type === "excedente_unidad",
  );
  const quantities = lines.map(({ quantity }) => quantity);
  if (quantities.length !== 1 || quantities[0] !== sum) {
    counts.wrong.push(`${sum} counted, charged ${quantities.join(", ")}`);
  }
}

function shuffled<T>(items: readonly T[], random: () => number): T[] {
  return items
    .map((item) => ({ item, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
}
