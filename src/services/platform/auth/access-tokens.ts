import type { Clock } from "../../../kit/clock.ts";
import {
  type AccessTokens,
  createAccessTokens as createTokens,
  type TokenKind,
} from "../../../storage/access-tokens.ts";
import type { KeyRing } from "../../../storage/sealing/key-ring.ts";

export type { AccessClaims, AccessTokens } from "../../../storage/access-tokens.ts";

const kind: TokenKind = {
  issuer: "platform",
  audience: "platform-api",
  purpose: "platform access tokens",
  seconds: 15 * 60,
};

/** Creates the access tokens of the platform, which live for 15 minutes. */
export const createAccessTokens = (ring: KeyRing, clock: Clock): AccessTokens =>
  createTokens(ring, clock, kind);
