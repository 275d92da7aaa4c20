import { AppError } from "../kit/app-error.ts";
import { parseInstant } from "../kit/parse-instant.ts";

/** Parses the instant in a parameter. Throws AppError `invalid_request` if it is invalid. */
export function readInstant(path: string, text: string): Date {
  const instant = parseInstant(text);
  if (instant !== undefined) return instant;
  const message = "must be a day or an instant as ISO 8601 writes it";
  throw new AppError("invalid", "invalid_request", `${path} ${message}.`, {
    details: {
      hint: "For example 2026-01-31 or 2026-01-31T12:00:00Z; in a URL a + is written %2B.",
      problems: [{ path, message }],
    },
  });
}
