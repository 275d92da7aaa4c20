import { Type } from "@sinclair/typebox";
import { microsMax } from "./micros.ts";

/** An amount in whole micros. The maximum keeps sums within exact integers. */
export const Micros = (description: string) => Type.Integer({ minimum: 0, maximum: microsMax, description });

/** A month in UTC. */
export const Month = Type.String({
  pattern: "^2[0-9]{3}-(0[1-9]|1[0-2])$",
  description: "UTC month, `YYYY-MM`.",
});

/** A day in UTC. */
export const Day = Type.String({
  pattern: "^2[0-9]{3}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$",
  description: "UTC day, `YYYY-MM-DD`.",
});

/** An instant. */
export const Instant = Type.String({
  maxLength: 40,
  description: "ISO 8601 timestamp with a time zone, such as `2026-03-10T12:00:00Z`.",
});
