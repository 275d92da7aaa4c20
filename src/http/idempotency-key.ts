import { AppError } from "../kit/app-error.ts";
import type { Parameter } from "./openapi/documented-hook.ts";

const lengthMax = 255;

/** The header, as the API's document describes it. */
export const idempotencyHeader = (description: string): Parameter => ({
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description,
  schema: { type: "string", minLength: 1, maxLength: lengthMax },
});

/** Returns the key of a request; undefined if it has none. Throws 400 `invalid_request` like `requireIdempotencyKey`. */
export function idempotencyKeyOf({ headers }: Request): string | undefined {
  const key = headers.get("idempotency-key") ?? undefined;
  requireIdempotencyKey(key);
  return key;
}

/** Throws 400 `invalid_request` for a key that is not 1 to 255 visible ASCII characters. */
export function requireIdempotencyKey(key: string | undefined): void {
  if (key === undefined || (key.length <= lengthMax && /^[\x21-\x7e]+$/.test(key))) return;
  const message = `must be 1 to ${lengthMax} visible ASCII characters`;
  throw new AppError("invalid", "invalid_request", `The request is not valid: Idempotency-Key ${message}.`, {
    details: { problems: [{ path: "Idempotency-Key", message }] },
  });
}
