import { AppError } from "../../../kit/app-error.ts";
import { dayOf } from "../../../kit/utc-calendar.ts";
import type { PlanRow } from "../plans/schema.ts";
import type { SubscriptionRow } from "./schema.ts";

/** Maximum time that an event's clock may be ahead of ours. */
const aheadMs = 5 * 60_000;

/** Maximum cost of all units in a period, so every sum in a statement can be represented exactly. */
const unitsMicrosMax = 1_000_000_000_000_000n;

/** Returns the refusal of an event due to its time; undefined if it is valid. */
export function instantRefusal(
  { desde, lastDay }: SubscriptionRow,
  at: Date,
  now: Date,
): AppError | undefined {
  if (at.getTime() > now.getTime() + aheadMs) {
    return new AppError(
      "unprocessable",
      "event_in_future",
      "The event is more than five minutes in the future.",
    );
  }
  const day = dayOf(at);
  if (day >= desde && (lastDay === null || day <= lastDay)) return undefined;
  return new AppError(
    "unprocessable",
    "outside_subscription",
    "The subscription was not active on that day.",
  );
}

/** Returns the refusal of units due to the plan; `used` already includes them. */
export function unitRefusal(
  { spec: { unidades } }: PlanRow,
  unidad: string,
  used: ReadonlyMap<string, number>,
): AppError | undefined {
  if (!Object.hasOwn(unidades, unidad)) {
    const units = Object.keys(unidades).join(", ");
    return new AppError(
      "unprocessable",
      "unit_not_in_plan",
      `The plan has no unit with this name. Its units: ${units === "" ? "none" : units}.`,
    );
  }
  const isExact = [...used.values()].every(Number.isSafeInteger);
  if (isExact && costOf(unidades, used) <= unitsMicrosMax) return undefined;
  return new AppError(
    "unprocessable",
    "quantity_too_large",
    "With this event, the units of the period would cost more than can be billed exactly.",
  );
}

function costOf(unidades: PlanRow["spec"]["unidades"], used: ReadonlyMap<string, number>): bigint {
  return Object.entries(unidades).reduce((sum, [unit, { incluidas, excedente_micros }]) => {
    const over = Math.max(0, (used.get(unit) ?? 0) - incluidas);
    return sum + BigInt(over) * BigInt(excedente_micros);
  }, 0n);
}
