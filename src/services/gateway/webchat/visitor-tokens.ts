import type { Clock } from "../../../kit/clock.ts";
import type { NewId } from "../../../kit/id.ts";
import { createAccessTokens } from "../../../storage/access-tokens.ts";
import type { KeyRing } from "../../../storage/sealing/key-ring.ts";

/** A visitor who is known by a token. */
export interface VisitorClaims {
  accountId: string;
  visitor: string;
}

export interface VisitorTokens {
  issue(claims: VisitorClaims): Promise<{ token: string; expiresAt: Date }>;
  /** Returns undefined for anything that isn't a valid token of ours. */
  verify(token: string): Promise<VisitorClaims | undefined>;
}

const tokenSeconds = 30 * 24 * 60 * 60;

/** Signed tokens of visitors. Each opens one thread, for 30 days. */
export function createVisitorTokens(ring: KeyRing, clock: Clock): VisitorTokens {
  const tokens = createAccessTokens(ring, clock, {
    issuer: "gateway",
    audience: "gateway-webchat",
    purpose: "gateway visitor tokens",
    seconds: tokenSeconds,
  });
  return {
    async issue({ accountId, visitor }) {
      const token = await tokens.issue({ userId: visitor, sessionId: accountId });
      const seconds = Math.floor(clock.now().getTime() / 1000) + tokenSeconds;
      return { token, expiresAt: new Date(seconds * 1000) };
    },
    async verify(token) {
      const claims = await tokens.verify(token);
      return claims && { accountId: claims.sessionId, visitor: claims.userId };
    },
  };
}

/** Address of a new visitor, which operators see; it opens nothing without its token. */
export const newVisitor = (newId: NewId): string => `visitor-${newId()}`;
