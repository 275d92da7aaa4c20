import type { TokenPair } from "../../../contracts/platform/auth.ts";
import type { StoredRefresh } from "../../../control-plane/sessions/refresh-tokens.ts";
import type { AuthDeps } from "./deps.ts";

/** Creates the pair for the caller. Signs after the transaction, which waits only for the database. */
export async function pairOf(
  { tokens }: Pick<AuthDeps, "tokens">,
  { claims, refreshToken }: StoredRefresh,
): Promise<TokenPair> {
  return { accessToken: await tokens.issue(claims), refreshToken };
}
