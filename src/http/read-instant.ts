import { AppError } from "../kit/app-error.ts";
import { parseInstant } from "../kit/parse-instant.ts";

/** Like `requireInstant`, but returns undefined for an absent field or query parameter. */
export const readInstant = (path: string, text: string | undefined): Date | undefined =>
  text === undefined ? undefined : requireInstant(path, text);

/** Parses an instant in a field or query parameter, within the years that storage supports. Throws `invalid_request` if it is invalid. */
export function requireInstant(path: string, text: string): Date {
  const at = parseInstant(text);
  if (at !== undefined && at.getUTCFullYear() >= 1 && at.getUTCFullYear() <= 9999) return at;
  const message = "must be an instant such as 2026-03-10T12:00:00Z";
  throw new AppError("invalid", "invalid_request", `${path} ${message}.`, {
    details: { problems: [{ path, message }] },
  });
}
