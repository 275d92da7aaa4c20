import { createHash, createHmac } from "node:crypto";
import { AppError } from "../../../kit/app-error.ts";
import type { Clock } from "../../../kit/clock.ts";
import { equalSecrets } from "../../../kit/secrets/equal-secrets.ts";

/** What a signed request says of itself. */
export interface VerifiedHook {
  /** Equal for each delivery of the same event. */
  key: string;
}

export interface HookTerms {
  secret: string;
  signature: "standard" | "sha256";
}

/** Age, and lead over our clock, of a signature that is accepted. */
const toleranceMs = 5 * 60_000;
const signaturesMax = 16;

/** Checks the signature of a request's exact bytes. Throws AppError `signature_invalid` (403), which doesn't tell what is wrong. */
export function verifyHook(
  { secret, signature }: HookTerms,
  headers: Headers,
  body: Uint8Array,
  clock: Clock,
): VerifiedHook {
  const signatureFault =
    signature === "standard" ? standard(secret, headers, body, clock) : sha256(secret, headers, body);
  if (signatureFault !== undefined) return signatureFault;
  throw new AppError("forbidden", "signature_invalid", "The request's signature is not valid.", {
    details: {
      hint:
        signature === "standard"
          ? "Sign `<webhook-id>.<webhook-timestamp>.<body>` by Standard Webhooks, at most five minutes before."
          : "Send `X-Hub-Signature-256: sha256=<HMAC-SHA-256 of the body in hexadecimal digits>`.",
    },
  });
}

/** Standard Webhooks: several signatures may be given, so that a secret can be exchanged. */
function standard(
  secret: string,
  headers: Headers,
  body: Uint8Array,
  clock: Clock,
): VerifiedHook | undefined {
  const id = headers.get("webhook-id") ?? "";
  const timestamp = headers.get("webhook-timestamp") ?? "";
  const given = headers.get("webhook-signature") ?? "";
  if (!/^[\x21-\x7e]{1,255}$/.test(id) || !/^\d{1,12}$/.test(timestamp) || given.length > 4096)
    return undefined;
  if (Math.abs(Number(timestamp) * 1000 - clock.now().getTime()) > toleranceMs) return undefined;
  const expected = createHmac("sha256", keyOf(secret))
    .update(`${id}.${timestamp}.`)
    .update(body)
    .digest("base64");
  const signatures = given.split(/[ ,]+/).slice(0, 2 * signaturesMax);
  const isRight = signatures.some(
    (one, index) => signatures[index - 1] === "v1" && equalSecrets(one, expected),
  );
  return isRight ? { key: `id:${id}` } : undefined;
}

const keyOf = (secret: string) =>
  secret.startsWith("whsec_") ? Buffer.from(secret.slice("whsec_".length), "base64") : secret;

/** Without a time in the signature, only the delivery's content says whether it came before. */
function sha256(secret: string, headers: Headers, body: Uint8Array): VerifiedHook | undefined {
  const expected = `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;
  if (!equalSecrets(headers.get("x-hub-signature-256") ?? "", expected)) return undefined;
  return { key: `body:${createHash("sha256").update(body).digest("hex")}` };
}
