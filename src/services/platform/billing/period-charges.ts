import type { PlanRow } from "../plans/schema.ts";
import { divideHalfUp } from "../runs/price-run.ts";
import type { ChargeType } from "./schema.ts";
import { daysIn, daysThrough } from "./utc-calendar.ts";

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
  /** The first and the last of them, `YYYY-MM-DD`, both counted. */
  first: string;
  last: string;
}

/** All that decides what a period costs. */
export interface PeriodFacts {
  /** `YYYY-MM`. */
  month: string;
  /** A subscription keeps its plan for a month; a base plan may change within it. In their order, without gaps. */
  spans: readonly PlanDays[];
  /** Whether the subscription began in this month; a base plan is not activated. */
  isActivated: boolean;
  /** Sums of usage events by unit. */
  units: ReadonlyMap<string, number>;
  /** What runs of this month were charged under this plan. */
  creditsUsedMicros: number;
}

/** Credits of a period, in micros. */
export interface PeriodCredits {
  usedMicros: number;
  includedMicros: number;
  extraMicros: number;
}

export interface PeriodBill {
  charges: ChargeLine[];
  credits: PeriodCredits;
  totalMicros: number;
}

/**
 * The bill of a period, in whole micros: each line is rounded once, half up, and the total is the sum of the lines. Lines of
 * nothing are left out, except those of units. Included credits and units belong to the plan at the end of the period and are
 * not shortened for part of a month.
 */
export function periodCharges({
  month,
  spans,
  isActivated,
  units,
  creditsUsedMicros,
}: PeriodFacts): PeriodBill {
  const plan = spans.at(-1)?.plan;
  if (plan === undefined) {
    return {
      charges: [],
      credits: { usedMicros: creditsUsedMicros, includedMicros: 0, extraMicros: 0 },
      totalMicros: 0,
    };
  }
  const extraMicros = Math.max(0, creditsUsedMicros - plan.includedCreditsMicros);
  const charges = [
    ...spans.map((span) => feeOf(span, month)),
    ...(isActivated
      ? [line("activacion", "Activation", 1, plan.activationPriceMicros, BigInt(plan.activationPriceMicros))]
      : []),
    ...unitLines(plan, units),
    extraLine(plan, extraMicros),
  ].filter(({ type, amountMicros }) => type === "excedente_unidad" || amountMicros !== 0);
  return {
    charges,
    credits: { usedMicros: creditsUsedMicros, includedMicros: plan.includedCreditsMicros, extraMicros },
    totalMicros: charges.reduce((sum, { amountMicros }) => sum + amountMicros, 0),
  };
}

/** The plan's fee for the days that it was in force. */
function feeOf({ plan, first, last }: PlanDays, month: string): ChargeLine {
  const days = daysThrough(first, last);
  const amount = divideHalfUp(BigInt(plan.minFeeMicros) * BigInt(days), BigInt(daysIn(month)));
  return line("cuota", `${plan.name}: ${days} of ${daysIn(month)} days`, days, plan.minFeeMicros, amount);
}

/** A line for each unit of the plan, also for none over what is included. */
function unitLines({ spec }: PlanRow, units: ReadonlyMap<string, number>): ChargeLine[] {
  return Object.entries(spec.unidades).map(([unit, { incluidas, excedente_micros }]) => {
    const used = units.get(unit) ?? 0;
    const over = Math.max(0, used - incluidas);
    const amount = BigInt(over) * BigInt(excedente_micros);
    return line(
      "excedente_unidad",
      `${unit}: ${used} used, ${incluidas} included`,
      over,
      excedente_micros,
      amount,
    );
  });
}

/** The price is of a whole credit: 1,000,000 micros. */
function extraLine({ extraCreditPriceMicros }: PlanRow, extraMicros: number): ChargeLine {
  const amount = divideHalfUp(BigInt(extraMicros) * BigInt(extraCreditPriceMicros), 1_000_000n);
  return line("creditos_extra", "Credits over those included", extraMicros, extraCreditPriceMicros, amount);
}

function line(
  type: ChargeType,
  description: string,
  quantity: number,
  unitPriceMicros: number,
  amount: bigint,
): ChargeLine {
  return { type, description, quantity, unitPriceMicros, amountMicros: Number(amount) };
}
