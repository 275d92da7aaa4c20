import type { ReachedPlatform } from "../../command/parts.ts";
import { AppError } from "../../kit/app-error.ts";
import { keptToken } from "../kept-token.ts";

/** Returns a valid access token of the signed-in user; refreshes an expired one. */
export const accessTokenOf = ({ session, url, as }: ReachedPlatform): Promise<string> =>
  keptToken({
    session,
    url,
    ask: (accessToken) => as({ accessToken }).me(),
    async refresh(refreshToken) {
      const { accessToken, refreshToken: next } = await as({}).refresh(refreshToken);
      return { accessToken, refreshToken: next };
    },
    signInNeeded,
  });

const signInNeeded = () =>
  new AppError("unauthorized", "unauthorized", "You are not signed in to this platform.", {
    details: {
      hint: "Run `argosy platform login <email>`, or set ARGOSY_PLATFORM_KEY to a tenant's API key.",
    },
  });
