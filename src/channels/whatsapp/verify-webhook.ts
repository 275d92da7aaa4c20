import { createHmac } from "node:crypto";
import { AppError } from "../../kit/app-error.ts";
import { equalSecrets } from "../../kit/secrets/equal-secrets.ts";

/**
 * Checks `X-Hub-Signature-256`, which must be exactly `sha256=` and the HMAC of these bytes in lower-case hex. Several such headers arrive
 * joined by commas and are refused.
 */
export function isSigned(header: string | null, body: Uint8Array, appSecret: string): boolean {
  const expected = `sha256=${createHmac("sha256", appSecret).update(body).digest("hex")}`;
  return equalSecrets(header ?? "", expected);
}

/** The provider's challenge is a number. It is echoed, so its length is limited. */
const challengeCharsMax = 1024;

/**
 * Returns the challenge, which proves to the provider that the webhook is ours. Throws `forbidden` if the verify token is wrong, or if none
 * is configured.
 */
export function answerHandshake(query: URLSearchParams, verifyToken: string | undefined): string {
  const isRightToken =
    Boolean(verifyToken) && equalSecrets(only(query, "hub.verify_token") ?? "", verifyToken ?? "");
  if (!isRightToken || only(query, "hub.mode") !== "subscribe") {
    throw new AppError("forbidden", "forbidden", "The webhook could not be verified.", {
      details: { hint: "hub.mode must be subscribe, and hub.verify_token the verify token of this channel." },
    });
  }
  return challengeOf(query);
}

/** Returns `hub.challenge`; throws `invalid` if it is missing, too long or given twice. */
function challengeOf(query: URLSearchParams): string {
  const challenge = only(query, "hub.challenge") ?? "";
  if (challenge !== "" && challenge.length <= challengeCharsMax) return challenge;
  const message = `must be 1 to ${challengeCharsMax} characters, given once`;
  throw new AppError("invalid", "invalid_request", `The query is not valid: hub.challenge ${message}.`, {
    details: { problems: [{ path: "hub.challenge", message }] },
  });
}

/** Handshake of a channel without a verify token: returns the challenge, or undefined if there is none. */
export function answerOpenHandshake(query: URLSearchParams): string | undefined {
  return query.has("hub.challenge") ? challengeOf(query) : undefined;
}

/** Returns the value of a parameter that is given exactly once. */
function only(query: URLSearchParams, name: string): string | undefined {
  const values = query.getAll(name);
  return values.length === 1 ? values[0] : undefined;
}
