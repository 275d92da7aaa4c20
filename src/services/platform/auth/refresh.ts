import type { TokenPair } from "../../../contracts/platform/auth.ts";
import { exchangeRefresh } from "../../../storage/credentials/refresh-tokens.ts";
import { writeAudit } from "../audit/write-audit.ts";
import type { AuthDeps } from "./deps.ts";
import { pairOf } from "./token-pair.ts";

/** Exchanges a refresh token for the next pair. The end of a session whose token was stolen is audited. */
export async function refresh(deps: AuthDeps, refreshToken: string): Promise<TokenPair> {
  const { storage, clock, newId } = deps;
  const next = await exchangeRefresh(deps, refreshToken, (tx, sessionId) => {
    const entry = { actor: "system", action: "session.reuse_revoked", subject: sessionId };
    return writeAudit(tx, storage.tables, { now: clock.now(), newId }, entry);
  });
  return pairOf(deps, next);
}
