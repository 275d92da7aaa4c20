import { createHmac } from "node:crypto";
import { equalSecrets } from "./equal-secrets.ts";

/**
 * Whether `X-Hub-Signature-256` is what the provider writes for these bytes: `sha256=` and the HMAC in lower-case hex,
 * nothing before, between or behind. Several such headers arrive joined by a comma and are refused.
 */
export function isSigned(header: string | null, body: Uint8Array, appSecret: string): boolean {
  const expected = `sha256=${createHmac("sha256", appSecret).update(body).digest("hex")}`;
  return equalSecrets(header ?? "", expected);
}
