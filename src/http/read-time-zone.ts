import { type TOptional, type TString, Type } from "@sinclair/typebox";
import { AppError } from "../kit/app-error.ts";
import { type OffsetAt, offsetIn } from "../kit/cron/next-instant.ts";

/** The query parameter for the time zone of days. */
export const timeZoneParameter = (): TOptional<TString> =>
  Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description:
        "Time zone of the IANA in which days begin at midnight, such as `Europe/Madrid`: those on which the clock changes have 23 or 25 hours.",
    }),
  );

/** Returns the offsets of the zone. Throws 400 for a zone that is none. */
export function readTimeZone(timeZone: string | undefined): OffsetAt | undefined {
  if (timeZone === undefined) return undefined;
  const offsetAt = offsetIn(timeZone);
  if (offsetAt !== undefined) return offsetAt;
  const message = "must be a time zone of the IANA, such as Europe/Madrid";
  throw new AppError("invalid", "invalid_request", `The query is not valid: time_zone ${message}.`, {
    details: { problems: [{ path: "time_zone", message }] },
  });
}
