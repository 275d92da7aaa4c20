import type { SignedIn, TokenPair } from "../../../contracts/platform/auth.ts";
import type { StoredRefresh } from "../../../control-plane/sessions/refresh-tokens.ts";
import type { AuthDeps } from "./deps.ts";

/** Creates the pair for the caller. Signs after the transaction, which waits only for the database. */
export async function pairOf(
  { tokens }: Pick<AuthDeps, "tokens">,
  { claims, refreshToken }: StoredRefresh,
): Promise<TokenPair> {
  return { accessToken: await tokens.issue(claims), refreshToken };
}

/** The answer of a sign-in. */
export async function signedInAs(
  deps: Pick<AuthDeps, "tokens">,
  opened: StoredRefresh,
  {
    id,
    email,
    displayName,
    passwordExpiredAt = null,
  }: { id: string; email: string; displayName: string; passwordExpiredAt?: Date | null },
): Promise<SignedIn> {
  return {
    ...(await pairOf(deps, opened)),
    user: { id, email, displayName },
    ...(passwordExpiredAt !== null && { passwordExpired: true }),
  };
}
