import type { Statement } from "../../src/contracts/platform/billing/billing.ts";
import type { PlanInput } from "../../src/contracts/platform/billing/plans.ts";

/**
 * A second implementation of the bill, day by day and with integers of any size. It shares no code with the platform, and knows only a
 * tenant's actions.
 */
export interface TenantStory {
  id: string;
  createdAt: number;
  deletedAt?: number;
  /** The base plan from an instant on; the first from the start. */
  base: { at: number; plan: PlanInput }[];
  subscriptions: SubscriptionStory[];
  runs: { at: number; subscriptionId: string | null; micros: bigint }[];
}

export interface SubscriptionStory {
  id: string;
  argo: string;
  desde: string;
  lastDay?: string;
  /** Instant from which it is cancelled; `lastDay` is set too. */
  endsAt?: number;
  /** The plan from an instant on. */
  plans: { at: number; plan: PlanInput }[];
  events: { at: number; unit: string; quantity: bigint }[];
}

export interface ModelBill {
  /** Type, quantity, unit price, amount and subscription of each line, sorted. */
  lines: string[];
  total: bigint;
  used: bigint;
  included: bigint;
  extra: bigint;
}

/** Computes a tenant's bill for a month with active days through `today`. */
export function modelBill(story: TenantStory, month: string, today: string): ModelBill {
  const bill: ModelBill = { lines: [], total: 0n, used: 0n, included: 0n, extra: 0n };
  addBase(bill, story, month, today);
  for (const subscription of story.subscriptions) addSubscription(bill, story, subscription, month, today);
  bill.lines.sort();
  return bill;
}

/** Converts a statement to the model's terms. */
export function billOf({ charges, credits, total_micros }: Statement): ModelBill {
  return {
    lines: charges
      .map((line) =>
        [line.type, line.quantity, line.unit_price_micros, line.amount_micros, line.subscription_id].join(
          "|",
        ),
      )
      .sort(),
    total: BigInt(total_micros),
    used: BigInt(credits.used_micros),
    included: BigInt(credits.included_micros),
    extra: BigInt(credits.extra_micros),
  };
}

/** Returns the plan of a subscription at an instant; before its first one, the first. */
export const planOf = ({ plans }: SubscriptionStory, at: number): PlanInput =>
  ((plans.findLast((each) => each.at <= at) ?? plans[0]) as { plan: PlanInput }).plan;

export const dayText = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

function addBase(bill: ModelBill, story: TenantStory, month: string, today: string): void {
  const lastDay = story.deletedAt === undefined ? "9999-12-31" : dayText(story.deletedAt);
  const fees: { plan: PlanInput; days: bigint }[] = [];
  for (const day of daysOf(month)) {
    if (day < dayText(story.createdAt) || day > lastDay || day > today) continue;
    const midnight = Date.parse(day) + 86_400_000;
    const { plan } = story.base.findLast(({ at }) => at < midnight) as { plan: PlanInput };
    const last = fees.at(-1);
    if (last?.plan.id === plan.id) last.days += 1n;
    else fees.push({ plan, days: 1n });
  }
  for (const { plan, days } of fees) addFee(bill, plan, days, month, null);
  const inForce = fees.at(-1)?.plan;
  const used = new Map<PlanInput, bigint>(inForce && [[inForce, 0n]]);
  for (const { at, micros, subscriptionId } of story.runs) {
    if (subscriptionId !== null || dayText(at).slice(0, 7) !== month || micros === 0n) continue;
    const { plan } = story.base.findLast((each) => each.at <= at) as { plan: PlanInput };
    used.set(plan, (used.get(plan) ?? 0n) + micros);
  }
  for (const [plan, micros] of used) addCredits(bill, plan, micros, null);
}

function addSubscription(
  bill: ModelBill,
  story: TenantStory,
  subscription: SubscriptionStory,
  month: string,
  today: string,
): void {
  const { id, desde, lastDay = "9999-12-31", events } = subscription;
  const days = daysOf(month).filter((day) => day >= desde && day <= lastDay);
  const here = events.filter(({ at }) => dayText(at).startsWith(month));
  if (days.length === 0 && here.length === 0) return;
  const begun = days.filter((day) => day <= today);
  // The fee of a day is that of the plan at its last millisecond.
  const planOn = (day: string) => planOf(subscription, Date.parse(day) + 86_399_999);
  const fees: { plan: PlanInput; days: bigint }[] = [];
  for (const day of begun.filter((each) => !isPaidEarlier(story, subscription, each))) {
    const last = fees.at(-1);
    if (last?.plan === planOn(day)) last.days += 1n;
    else fees.push({ plan: planOn(day), days: 1n });
  }
  for (const fee of fees) addFee(bill, fee.plan, fee.days, month, id);
  if (begun.includes(desde)) {
    const price = planOn(desde).activation_price_micros;
    add(bill, ["activacion", 1n, price], BigInt(price), id);
  }
  // Units and credits belong to the plan of their instant. The plan at the month's end counts even if it has none.
  const atEnd = planOn(daysOf(month).at(-1) as string);
  const plansOf = (instants: number[]) => new Set([...instants.map((at) => planOf(subscription, at)), atEnd]);
  for (const plan of plansOf(here.map(({ at }) => at))) {
    for (const [unit, { incluidas, excedente_micros }] of Object.entries(plan.spec.unidades)) {
      let over = -BigInt(incluidas);
      for (const event of here)
        if (event.unit === unit && planOf(subscription, event.at) === plan) over += event.quantity;
      if (over < 0n) over = 0n;
      add(bill, ["excedente_unidad", over, excedente_micros], over * BigInt(excedente_micros), id);
    }
  }
  const runs = story.runs.filter(
    ({ at, micros, subscriptionId }) =>
      subscriptionId === id && dayText(at).startsWith(month) && micros !== 0n,
  );
  for (const plan of plansOf(runs.map(({ at }) => at))) {
    const own = runs.filter(({ at }) => planOf(subscription, at) === plan);
    addCredits(
      bill,
      plan,
      own.reduce((sum, { micros }) => sum + micros, 0n),
      id,
    );
  }
}

/** True if a subscription of the same vertical that was created earlier includes the day. */
function isPaidEarlier(
  { subscriptions }: TenantStory,
  subscription: SubscriptionStory,
  day: string,
): boolean {
  const earlier = subscriptions.slice(0, subscriptions.indexOf(subscription));
  return earlier.some(
    ({ argo, desde, lastDay = "9999-12-31" }) => argo === subscription.argo && day >= desde && day <= lastDay,
  );
}

function addFee(bill: ModelBill, plan: PlanInput, days: bigint, month: string, id: string | null): void {
  const amount = halfUp(BigInt(plan.min_fee_micros) * days, BigInt(daysOf(month).length));
  add(bill, ["cuota", days, plan.min_fee_micros], amount, id);
}

function addCredits(bill: ModelBill, plan: PlanInput, used: bigint, id: string | null): void {
  const included = BigInt(plan.included_credits_micros);
  const extra = used > included ? used - included : 0n;
  bill.used += used;
  bill.included += included;
  bill.extra += extra;
  const price = plan.extra_credit_price_micros;
  add(bill, ["creditos_extra", extra, price], halfUp(extra * BigInt(price), 1_000_000n), id);
}

function add(
  bill: ModelBill,
  [type, quantity, price]: [string, bigint, number],
  amount: bigint,
  id: string | null,
): void {
  bill.total += amount;
  if (amount === 0n && type !== "excedente_unidad") return;
  bill.lines.push([type, quantity, price, amount, id].join("|"));
}

export function halfUp(numerator: bigint, denominator: bigint): bigint {
  const quotient = numerator / denominator;
  return (numerator % denominator) * 2n >= denominator ? quotient + 1n : quotient;
}

function daysOf(month: string): string[] {
  const days: string[] = [];
  for (let ms = Date.parse(`${month}-01`); dayText(ms).startsWith(month); ms += 86_400_000)
    days.push(dayText(ms));
  return days;
}
