import { exactInteger } from "../../../storage/column-values.ts";
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

/** What runs of a month were charged under one plan. */
export interface PlanCredits {
  plan: PlanRow;
  usedMicros: number;
}

/** All that decides what a period costs. */
export interface PeriodFacts {
  /** `YYYY-MM`. */
  month: string;
  /** A subscription keeps its plan for a month; a base plan may change within it. In their order. */
  spans: readonly PlanDays[];
  /** The plan whose activation is due; a base plan is not activated. */
  activated: PlanRow | undefined;
  /** The plan whose units are counted, with sums of usage events by unit; a base plan has none. */
  usage: { plan: PlanRow; units: ReadonlyMap<string, number> } | undefined;
  /** Of each plan that counts, in their order. */
  credits: readonly PlanCredits[];
}

/** Credits of a period, in micros. */
export interface PeriodCredits {
  usedMicros: number;
  includedMicros: number;
  extraMicros: number;
  byPlan: { plan: PlanRow; usedMicros: number; extraMicros: number }[];
}

export interface PeriodBill {
  charges: ChargeLine[];
  credits: PeriodCredits;
  totalMicros: number;
}

/**
 * The bill of a period, in whole micros: each line is rounded once, half up, and the total is the sum of the lines. Lines of
 * nothing are left out, except those of units. What a plan includes is not shortened for part of a month. Throws where an
 * amount is more than a number holds exactly.
 */
export function periodCharges({ month, spans, activated, usage, credits }: PeriodFacts): PeriodBill {
  const extras = credits.map(({ plan, usedMicros }) => ({
    plan,
    usedMicros,
    extraMicros: Math.max(0, usedMicros - plan.includedCreditsMicros),
  }));
  const charges = [
    ...spans.map((span) => feeOf(span, month)),
    ...(activated === undefined ? [] : [activationOf(activated)]),
    ...(usage === undefined ? [] : unitLines(usage.plan, usage.units)),
    ...extras.map(({ plan, extraMicros }) => extraLine(plan, extraMicros)),
  ].filter(({ type, amountMicros }) => type === "excedente_unidad" || amountMicros !== 0);
  return {
    charges,
    credits: {
      usedMicros: exactSum(credits.map(({ usedMicros }) => usedMicros)),
      includedMicros: exactSum(credits.map(({ plan }) => plan.includedCreditsMicros)),
      extraMicros: exactSum(extras.map(({ extraMicros }) => extraMicros)),
      byPlan: extras,
    },
    totalMicros: exactSum(charges.map(({ amountMicros }) => amountMicros)),
  };
}

/** The sum of whole numbers; throws where it is more than a number holds exactly. */
export const exactSum = (amounts: readonly number[]): number =>
  exactInteger(Number(amounts.reduce((sum, amount) => sum + BigInt(amount), 0n)));

const activationOf = ({ name, activationPriceMicros }: PlanRow): ChargeLine =>
  line("activacion", `${name}: activation`, 1, activationPriceMicros, BigInt(activationPriceMicros));

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
function extraLine({ name, extraCreditPriceMicros }: PlanRow, extraMicros: number): ChargeLine {
  const amount = divideHalfUp(BigInt(extraMicros) * BigInt(extraCreditPriceMicros), 1_000_000n);
  const description = `${name}: credits over those included`;
  return line("creditos_extra", description, extraMicros, extraCreditPriceMicros, amount);
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
