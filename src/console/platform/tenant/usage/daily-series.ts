import type { DailyUsage, DayUsage } from "../../../../contracts/platform/observability.ts";

export const dailyMeasures = ["credits", "runs", "tokens"] as const;
export type DailyMeasure = (typeof dailyMeasures)[number];
export type Split = "agent" | "model";

export interface DayRow {
  day: string;
  values: ReadonlyMap<string, number>;
  total: number;
}

export interface DailySeries {
  /** One row per day of the month, with a number per name; days without usage have zeros. */
  rows: DayRow[];
  /** Names, the largest first; those beyond `namesMost` are summed as `others`. */
  names: string[];
}

const namesMost = 6;

/** Computes the usage of each day, by agent or by model. By model, only tokens are counted. */
export function dailySeries(
  { period, days }: DailyUsage,
  { measure, split, until, others }: { measure: DailyMeasure; split: Split; until: string; others: string },
): DailySeries {
  const byDay = new Map(days.map((day) => [day.day, withRest(day, { measure, split, others })]));
  const totals = new Map<string, number>();
  for (const values of byDay.values()) {
    for (const [name, value] of values) totals.set(name, (totals.get(name) ?? 0) + value);
  }
  const hasRest = totals.delete(others);
  const ranked = [...totals].sort((one, other) => other[1] - one[1]).map(([name]) => name);
  const isTooMany = hasRest || ranked.length > namesMost;
  const kept = isTooMany ? ranked.slice(0, namesMost - 1) : ranked;
  return {
    names: isTooMany ? [...kept, others] : kept,
    rows: daysOf(period, until).map((day) => {
      const values = new Map<string, number>();
      for (const [name, value] of byDay.get(day) ?? []) {
        const shown = kept.includes(name) ? name : others;
        values.set(shown, (values.get(shown) ?? 0) + value);
      }
      return { day, values, total: [...values.values()].reduce((sum, value) => sum + value, 0) };
    }),
  };
}

interface Wish {
  measure: DailyMeasure;
  split: Split;
  others: string;
}

/** A day lists its largest agents and models; what the others used is in its totals. */
function withRest(day: DayUsage, { measure, split, others }: Wish): [string, number][] {
  const values = valuesOf(day, measure, split);
  const listed = values.reduce((sum, [, value]) => sum + value, 0);
  const rest = amountOf(day, measure) - listed;
  return rest > 0 ? [...values, [others, rest]] : values;
}

function amountOf(
  { invocations, tokens_in, tokens_out, credits_charged_micros }: Omit<DayUsage, "day" | "agents" | "models">,
  measure: DailyMeasure,
): number {
  if (measure === "runs") return invocations;
  return measure === "tokens" ? tokens_in + tokens_out : credits_charged_micros;
}

function valuesOf({ agents, models }: DayUsage, measure: DailyMeasure, split: Split): [string, number][] {
  if (split === "model") {
    return models.map(({ provider, model, tokens_in, tokens_out }) => [
      `${provider}/${model}`,
      tokens_in + tokens_out,
    ]);
  }
  return agents.map((agent) => [agent.name, amountOf(agent, measure)]);
}

/** Returns the days of a month, up to `until` if that is in it. */
function daysOf(period: string, until: string): string[] {
  const [year = 0, month = 1] = period.split("-").map(Number);
  const count = new Date(Date.UTC(year, month, 0)).getUTCDate();
  const days = Array.from({ length: count }, (_, at) => `${period}-${String(at + 1).padStart(2, "0")}`);
  return days.filter((day) => day <= until);
}
