import { importPKCS8, SignJWT } from "jose";
import { AppError } from "../../../../kit/app-error.ts";
import { type CloudPorts, callCloud, refusalError } from "../cloud-call.ts";

/** The parts of a service account's key file that are used. */
export interface ServiceAccountKey {
  clientEmail: string;
  privateKey: string;
  privateKeyId: string;
  tokenUri: string;
}

const scope = "https://www.googleapis.com/auth/cloud-platform";
const grantType = "urn:ietf:params:oauth:grant-type:jwt-bearer";
const assertionSeconds = 3600;
/** A token is replaced this long before it expires. */
const marginMs = 120_000;

/** Returns access tokens of a service account: each is used until shortly before it expires, and masked in logs. */
export function accessTokens(
  ports: CloudPorts,
  key: ServiceAccountKey,
): (signal: AbortSignal) => Promise<string> {
  const { clock, secrets } = ports;
  let known: { token: string; untilMs: number } | undefined;
  let asking: Promise<string> | undefined;

  async function ask(signal: AbortSignal): Promise<string> {
    const assertion = await signed(key, clock.now());
    secrets.add(assertion);
    const body = new URLSearchParams({ grant_type: grantType, assertion }).toString();
    const headers = { "content-type": "application/x-www-form-urlencoded", accept: "application/json" };
    const answer = await callCloud(
      ports,
      async () => ({ method: "POST", url: key.tokenUri, headers, body }),
      { trustedOrigin: new URL(key.tokenUri).origin, isRead: true, signal },
    );
    const {
      access_token: token,
      expires_in: seconds,
      error,
      error_description: description,
    } = read(answer.text);
    if (answer.status === 200 && typeof token === "string" && token !== "") {
      secrets.add(token);
      const lifeMs = typeof seconds === "number" ? seconds * 1000 : 0;
      known = { token, untilMs: clock.monotonicMs() + lifeMs - marginMs };
      return token;
    }
    throw refusalError({
      cloud: "Google Cloud",
      action: `sign in as ${key.clientEmail}`,
      status: answer.status === 400 ? 401 : answer.status,
      code: typeof error === "string" ? error : "",
      message: typeof description === "string" ? description : "",
    });
  }

  return (signal) => {
    if (known !== undefined && clock.monotonicMs() < known.untilMs) return Promise.resolve(known.token);
    asking ??= ask(signal).finally(() => {
      asking = undefined;
    });
    return asking;
  };
}

async function signed({ clientEmail, privateKey, privateKeyId, tokenUri }: ServiceAccountKey, now: Date) {
  const issuedAt = Math.floor(now.getTime() / 1000);
  const key = await importPKCS8(privateKey, "RS256").catch((cause: unknown) => {
    throw new AppError(
      "upstream_failed",
      "account_access_denied",
      "The service account's private key can't be read.",
      {
        details: { hint: "Download a new key file in JSON for the service account." },
        cause,
      },
    );
  });
  return new SignJWT({ scope })
    .setProtectedHeader({ alg: "RS256", typ: "JWT", kid: privateKeyId })
    .setIssuer(clientEmail)
    .setAudience(tokenUri)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + assertionSeconds)
    .sign(key);
}

function read(text: string): Record<string, unknown> {
  try {
    return (JSON.parse(text) ?? {}) as Record<string, unknown>;
  } catch {
    return {};
  }
}
