import { createHmac } from "node:crypto";
import { equalSecrets } from "./equal-secrets.ts";

/**
 * Checks `X-Hub-Signature-256`, which must be exactly `sha256=` and the HMAC of these bytes in lower-case hex. Several such headers arrive
 * joined by commas and are refused.
 */
export function isSigned(header: string | null, body: Uint8Array, appSecret: string): boolean {
  const expected = `sha256=${createHmac("sha256", appSecret).update(body).digest("hex")}`;
  return equalSecrets(header ?? "", expected);
}
