import type { ReachedCloud } from "../../command/parts.ts";
import { AppError } from "../../kit/app-error.ts";

/** Returns a valid access token of the signed-in person; refreshes an expired one. */
export async function accessTokenOf({ session, url, as }: ReachedCloud): Promise<string> {
  const kept = session.find();
  if (kept === undefined || kept.url !== url) throw signInNeeded();
  if (await isInForce(as({ authorization: `Bearer ${kept.accessToken}` }).orgs())) return kept.accessToken;
  const next = await as({}).refresh(kept.refreshToken).catch(asSignInNeeded);
  session.keep({ ...kept, accessToken: next.access_token, refreshToken: next.refresh_token });
  return next.access_token;
}

async function isInForce(asked: Promise<unknown>): Promise<boolean> {
  try {
    await asked;
    return true;
  } catch (thrown) {
    if (thrown instanceof AppError && thrown.kind === "unauthorized") return false;
    throw thrown;
  }
}

function asSignInNeeded(thrown: unknown): never {
  if (thrown instanceof AppError && thrown.kind === "unauthorized") throw signInNeeded();
  throw thrown;
}

const signInNeeded = () =>
  new AppError("unauthorized", "unauthorized", "You are not signed in to this cloud.", {
    details: { hint: "Run `argosy cloud login`, or set ARGOSY_CLOUD_KEY to an API key of the org." },
  });
