import type { ReachedPlatform } from "../../command/parts.ts";
import { AppError } from "../../kit/app-error.ts";

/** Returns a valid access token of the signed-in user; refreshes an expired one. */
export async function accessTokenOf(platform: ReachedPlatform): Promise<string> {
  const session = platform.session.find();
  if (session === undefined || session.url !== platform.url) throw signInNeeded();
  const asOwn = platform.as({ accessToken: session.accessToken });
  if (await isInForce(asOwn.me())) return session.accessToken;
  const pair = await platform.as({}).refresh(session.refreshToken).catch(asSignInNeeded);
  platform.session.keep({ ...session, ...pair });
  return pair.accessToken;
}

async function isInForce(asked: Promise<unknown>): Promise<boolean> {
  try {
    await asked;
    return true;
  } catch (thrown) {
    if (thrown instanceof AppError && thrown.kind === "unauthorized") return false;
    // The token is good for the change of the password that is asked for.
    if (thrown instanceof AppError && thrown.code === "password_expired") return true;
    throw thrown;
  }
}

function asSignInNeeded(thrown: unknown): never {
  if (thrown instanceof AppError && thrown.kind === "unauthorized") throw signInNeeded();
  throw thrown;
}

function signInNeeded(): AppError {
  return new AppError("unauthorized", "unauthorized", "You are not signed in to this platform.", {
    details: {
      hint: "Run `argosy platform login <email>`, or set ARGOSY_PLATFORM_KEY to a tenant's API key.",
    },
  });
}
