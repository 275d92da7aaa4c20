import { AppError } from "../../kit/app-error.ts";
import { parseInstant } from "../../kit/parse-instant.ts";

/** The instant in a field or a query parameter; undefined when it is absent. Throws `invalid_request` for what is none. */
export function readInstant(path: string, text: string | undefined): Date | undefined {
  if (text === undefined) return undefined;
  const at = parseInstant(text);
  if (at !== undefined) return at;
  throw new AppError(
    "invalid",
    "invalid_request",
    `${path} must be an instant such as 2026-03-10T12:00:00Z.`,
    {
      details: { problems: [{ path, message: "must be an instant such as 2026-03-10T12:00:00Z" }] },
    },
  );
}
