import { AppError } from "../kit/app-error.ts";
import { parseInstant } from "../kit/parse-instant.ts";

/** Like `requireInstant`, but returns undefined for an absent field or query parameter. */
export const readInstant = (path: string, text: string | undefined): Date | undefined =>
  text === undefined ? undefined : requireInstant(path, text);

/**
 * Parses a day or an instant in a field or query parameter, within the years that storage supports. Throws AppError `invalid_request` if it
 * is invalid.
 */
export function requireInstant(path: string, text: string): Date {
  const instant = parseInstant(text);
  if (instant !== undefined && instant.getUTCFullYear() >= 1 && instant.getUTCFullYear() <= 9999)
    return instant;
  throw invalidInstant(path, "must be an ISO 8601 day or instant");
}

/** Like `readInstant`, and refuses an instant that is not after `now`. */
export function readFuture(path: string, text: string | undefined, now: Date): Date | undefined {
  const instant = readInstant(path, text);
  if (instant !== undefined && instant <= now) throw invalidInstant(path, "must be in the future");
  return instant;
}

const invalidInstant = (path: string, message: string): AppError =>
  new AppError("invalid", "invalid_request", `${path} ${message}.`, {
    details: {
      hint: "For example 2026-01-31 or 2026-01-31T12:00:00Z; in a URL a + is written %2B.",
      problems: [{ path, message }],
    },
  });
