import { type JWTHeaderParameters, jwtVerify, SignJWT } from "jose";
import type { Clock } from "../kit/clock.ts";
import { derivedKey, type KeyRing } from "./sealing/key-ring.ts";

/** Person and session that a token was issued to. Roles and tenants are read from storage, never from a token. */
export interface AccessClaims {
  userId: string;
  sessionId: string;
}

export interface AccessTokens {
  issue(claims: AccessClaims): Promise<string>;
  /** Returns undefined for anything that isn't one of our valid tokens, without a reason. */
  verify(token: string): Promise<AccessClaims | undefined>;
}

/** Facts that tell the access tokens of one service from those of another. */
export interface TokenKind {
  issuer: string;
  audience: string;
  /** Purpose for which the signing keys are derived. */
  purpose: string;
  /** Lifetime of a token. */
  seconds: number;
}

/** Clock difference tolerated between processes that share the keys. */
const skewSeconds = 30;

const tokenType = "access";
/** Longer than any of our tokens. */
const tokenLengthMax = 2048;
const headerKeys = new Set(["alg", "kid", "typ"]);
const claimKeys = new Set(["iss", "aud", "sub", "iat", "exp", "typ", "sid"]);

/** Access tokens as JWTs (RFC 7519, checked by RFC 8725): one algorithm, and keys from a fixed map by their id. */
export function createAccessTokens(
  ring: KeyRing,
  clock: Clock,
  { issuer, audience, purpose, seconds }: TokenKind,
): AccessTokens {
  const keys = new Map(ring.map((key) => [key.kid, derivedKey(key, purpose)]));
  const { kid } = ring[0];

  const keyOf = (header: JWTHeaderParameters): Uint8Array => {
    const key = keys.get(header.kid ?? "");
    if (key === undefined || Object.keys(header).some((name) => !headerKeys.has(name))) {
      throw new Error("not a header of ours");
    }
    return key;
  };

  return {
    issue({ userId, sessionId }) {
      const nowSeconds = Math.floor(clock.now().getTime() / 1000);
      return new SignJWT({ typ: tokenType, sid: sessionId })
        .setProtectedHeader({ alg: "HS256", kid, typ: "JWT" })
        .setIssuer(issuer)
        .setAudience(audience)
        .setSubject(userId)
        .setIssuedAt(nowSeconds)
        .setExpirationTime(nowSeconds + seconds)
        .sign(keys.get(kid) ?? new Uint8Array());
    },

    async verify(token) {
      if (token.length > tokenLengthMax) return undefined;
      try {
        const { payload } = await jwtVerify(token, keyOf, {
          algorithms: ["HS256"],
          issuer,
          audience,
          currentDate: clock.now(),
          requiredClaims: ["sub", "iat", "exp", "sid", "typ"],
        });
        const { sub, sid, typ, aud, iat = Number.NaN, exp = Number.NaN } = payload;
        const nowSeconds = clock.now().getTime() / 1000;
        const isOurs =
          iat <= nowSeconds + skewSeconds &&
          exp > iat &&
          exp - iat <= seconds &&
          typ === tokenType &&
          aud === audience &&
          typeof sub === "string" &&
          typeof sid === "string" &&
          Object.keys(payload).every((name) => claimKeys.has(name));
        return isOurs ? { userId: sub, sessionId: sid } : undefined;
      } catch {
        return undefined;
      }
    },
  };
}
