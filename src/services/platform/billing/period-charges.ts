import { creditsText } from "../../../contracts/amounts.ts";
import { daysIn } from "../../../kit/utc-calendar.ts";
import { exactInteger } from "../../../storage/tables/column-values.ts";
import type { PlanRow } from "../plans/schema.ts";
import { divideHalfUp } from "../tariffs/price-run.ts";
import type { ChargeType } from "./schema.ts";

/** One line of a period's bill. */
export interface ChargeLine {
  type: ChargeType;
  description: string;
  quantity: number;
  unitPriceMicros: number;
  amountMicros: number;
}

/** Days of a month under one plan. */
export interface PlanDays {
  plan: PlanRow;
  days: number;
}

/** Credits that a month's runs were charged under one plan. */
export interface CreditsByPeriod {
  plan: PlanRow;
  usedMicros: number;
  /** Part of `usedMicros` that grants paid. */
  grantedMicros: number;
}

/** A grant with a price. */
export interface PricedGrant {
  creditsMicros: number;
  reason: string;
  priceMicros: number;
}

/** A signed charge of an operator. */
export interface AdjustmentFact {
  amountMicros: number;
  reason: string;
  reference: string | null;
}

/** Sums of a month's usage events under one plan, by unit. */
export interface PlanUnits {
  plan: PlanRow;
  units: ReadonlyMap<string, number>;
}

/** Facts that determine the bill of a period. */
export interface PeriodFacts {
  /** `YYYY-MM`. */
  month: string;
  /** Days under each plan, in order; the plan may change within the month. */
  spans: readonly PlanDays[];
  /** Plan whose activation is due; undefined for a base plan, which has no activation. */
  activated: PlanRow | undefined;
  /** Units under each plan that counts, in order; none for a base plan. */
  usage: readonly PlanUnits[];
  /** Credits under each plan that counts, in order. */
  credits: readonly CreditsByPeriod[];
  /** Grants of the month that have a price, in order; none for a subscription. */
  grants: readonly PricedGrant[];
  /** Adjustments of the month, in order; none for a subscription. */
  adjustments: readonly AdjustmentFact[];
}

/** Credits of a period, in micros. */
export interface PeriodCredits {
  usedMicros: number;
  includedMicros: number;
  grantedMicros: number;
  extraMicros: number;
  byPlan: { plan: PlanRow; usedMicros: number; grantedMicros: number; extraMicros: number }[];
}

export interface PeriodBill {
  charges: ChargeLine[];
  credits: PeriodCredits;
  totalMicros: number;
}

/**
 * Computes the bill of a period in whole micros. Each line is rounded once, half up, and the total is the sum of the lines. Lines with
 * amount 0 are omitted, except for units. A plan's included credits and units are not reduced for a part of a month. Throws if an amount
 * exceeds what a number represents exactly.
 */
export function periodCharges({
  month,
  spans,
  activated,
  usage,
  credits,
  grants,
  adjustments,
}: PeriodFacts): PeriodBill {
  const extras = credits.map(({ plan, usedMicros, grantedMicros }) => ({
    plan,
    usedMicros,
    grantedMicros,
    extraMicros: Math.max(0, usedMicros - plan.includedCreditsMicros - grantedMicros),
  }));
  const charges = [
    ...spans.map((span) => feeOf(span, month)),
    ...(activated === undefined ? [] : [activationOf(activated)]),
    ...usage.flatMap((used) => unitLines(used, usage.length > 1)),
    ...extras.map(({ plan, extraMicros }) => extraLine(plan, extraMicros)),
    ...grants.map(topUpLine),
    ...adjustments.map(adjustmentLine),
  ].filter(({ type, amountMicros }) => type === "excedente_unidad" || amountMicros !== 0);
  return {
    charges,
    credits: {
      usedMicros: exactSum(credits.map(({ usedMicros }) => usedMicros)),
      includedMicros: exactSum(credits.map(({ plan }) => plan.includedCreditsMicros)),
      grantedMicros: exactSum(credits.map(({ grantedMicros }) => grantedMicros)),
      extraMicros: exactSum(extras.map(({ extraMicros }) => extraMicros)),
      byPlan: extras,
    },
    totalMicros: exactSum(charges.map(({ amountMicros }) => amountMicros)),
  };
}

/** Sums integers. Throws if the sum exceeds what a number represents exactly. */
export const exactSum = (amounts: readonly number[]): number =>
  exactInteger(Number(amounts.reduce((sum, amount) => sum + BigInt(amount), 0n)));

const activationOf = ({ name, activationPriceMicros }: PlanRow): ChargeLine =>
  line("activacion", `${name}: activation`, 1, activationPriceMicros, BigInt(activationPriceMicros));

/** The plan's fee for its days in force. */
function feeOf({ plan, days }: PlanDays, month: string): ChargeLine {
  const amount = divideHalfUp(BigInt(plan.minFeeMicros) * BigInt(days), BigInt(daysIn(month)));
  return line("cuota", `${plan.name}: ${days} of ${daysIn(month)} days`, days, plan.minFeeMicros, amount);
}

/** One line for each unit of the plan, even if nothing exceeds the included amount. It names the plan if there are several. */
function unitLines({ plan: { name, spec }, units }: PlanUnits, isNamed: boolean): ChargeLine[] {
  return Object.entries(spec.unidades).map(([unit, { incluidas, excedente_micros }]) => {
    const used = units.get(unit) ?? 0;
    const over = Math.max(0, used - incluidas);
    const amount = BigInt(over) * BigInt(excedente_micros);
    return line(
      "excedente_unidad",
      `${isNamed ? `${name}, ` : ""}${unit}: ${used} used, ${incluidas} included`,
      over,
      excedente_micros,
      amount,
    );
  });
}

/** The price is for a whole credit: 1,000,000 micros. */
function extraLine({ name, extraCreditPriceMicros }: PlanRow, extraMicros: number): ChargeLine {
  const amount = divideHalfUp(BigInt(extraMicros) * BigInt(extraCreditPriceMicros), 1_000_000n);
  const description = `${name}: credits over those included`;
  return line("creditos_extra", description, extraMicros, extraCreditPriceMicros, amount);
}

const topUpLine = ({ creditsMicros, reason, priceMicros }: PricedGrant): ChargeLine =>
  line("recarga", `${reason}: ${creditsText(creditsMicros)} credits`, 1, priceMicros, BigInt(priceMicros));

function adjustmentLine({ amountMicros, reason, reference }: AdjustmentFact): ChargeLine {
  const description = reference === null ? reason : `${reason} (${reference})`;
  return line("ajuste", description, 1, amountMicros, BigInt(amountMicros));
}

function line(
  type: ChargeType,
  description: string,
  quantity: number,
  unitPriceMicros: number,
  amount: bigint,
): ChargeLine {
  return { type, description, quantity, unitPriceMicros, amountMicros: exactInteger(Number(amount)) };
}
