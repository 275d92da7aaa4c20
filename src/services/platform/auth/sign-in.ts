import type { SignedIn, SignIn } from "../../../contracts/platform/auth.ts";
import { openSession } from "../../../control-plane/sessions/refresh-tokens.ts";
import type { SessionSource } from "../../../control-plane/sessions/session-source.ts";
import { readEmail } from "../../../kit/text/email-address.ts";
import { checkPassword, wrongCredentials } from "./check-password.ts";
import type { AuthDeps } from "./deps.ts";
import type { SignInAttempt } from "./sign-in-throttle.ts";
import { signedInAs } from "./token-pair.ts";

/** Signs a person in. An unknown account gets the same error as a wrong password, after the same time. */
export async function signIn(
  deps: AuthDeps,
  input: SignIn,
  address: string,
  signal?: AbortSignal,
  {
    source = { client: null, address },
    ...sender
  }: Pick<SignInAttempt, "claimed" | "device"> & { source?: SessionSource } = {},
): Promise<SignedIn> {
  const attempt = { ...sender, email: readEmail(input.email), address };
  const checked = await checkPassword(deps, attempt, { password: input.password, signal });
  if (checked === undefined) throw wrongCredentials();
  const { user, settle } = checked;
  const opened = await deps.storage.transact(async (tx) => {
    await settle(tx);
    return openSession(deps, tx, user.id, source);
  });
  return signedInAs(deps, opened, user);
}
