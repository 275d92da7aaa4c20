import type { ReachedCloud } from "../../command/parts.ts";
import { AppError } from "../../kit/app-error.ts";
import { keptToken } from "../kept-token.ts";

/** Returns a valid access token of the signed-in person; refreshes an expired one. */
export const accessTokenOf = ({ session, url, as }: ReachedCloud): Promise<string> =>
  keptToken({
    session,
    url,
    ask: (accessToken) => as({ authorization: `Bearer ${accessToken}` }).orgs(),
    async refresh(refreshToken) {
      const next = await as({}).refresh(refreshToken);
      return { accessToken: next.access_token, refreshToken: next.refresh_token };
    },
    signInNeeded,
  });

const signInNeeded = () =>
  new AppError("unauthorized", "unauthorized", "You are not signed in to this cloud.", {
    details: { hint: "Run `argosy cloud login`, or set ARGOSY_CLOUD_KEY to an API key of the org." },
  });
