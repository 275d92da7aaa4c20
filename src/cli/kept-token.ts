import type { KeptSession, SessionFile } from "../command/session-file.ts";
import { AppError } from "../kit/app-error.ts";

interface TokenSource {
  session: SessionFile;
  /** Address of the service; undefined if it is the one of this data folder. */
  url: string | undefined;
  /** Makes a request with an access token; it rejects with 401 if the token is no longer valid. */
  ask: (accessToken: string) => Promise<unknown>;
  refresh: (refreshToken: string) => Promise<Pick<KeptSession, "accessToken" | "refreshToken">>;
  signInNeeded: () => AppError;
}

/**
 * Returns a valid access token of the signed-in person; exchanges an expired one. Commands that run at the same time share the exchange: a
 * refresh token that is used again counts as stolen.
 */
export async function keptToken({ session, url, ask, refresh, signInNeeded }: TokenSource): Promise<string> {
  const kept = () => {
    const found = session.find();
    if (found === undefined || found.url !== url) throw signInNeeded();
    return found;
  };
  const isInForce = ({ accessToken }: KeptSession) =>
    ask(accessToken).then(
      () => true,
      (thrown) => {
        if (isUnauthorized(thrown)) return false;
        // The token is good for the change of the password that is asked for.
        if (thrown instanceof AppError && thrown.code === "password_expired") return true;
        throw thrown;
      },
    );
  const first = kept();
  if (await isInForce(first)) return first.accessToken;
  return session.alone(async () => {
    const newest = kept();
    if (newest.accessToken !== first.accessToken && (await isInForce(newest))) return newest.accessToken;
    const pair = await refresh(newest.refreshToken).catch((thrown) => {
      throw isUnauthorized(thrown) ? signInNeeded() : thrown;
    });
    session.keep({ ...newest, ...pair });
    return pair.accessToken;
  });
}

const isUnauthorized = (thrown: unknown) => thrown instanceof AppError && thrown.kind === "unauthorized";
