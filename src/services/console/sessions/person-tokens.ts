import { AppError } from "../../../kit/app-error.ts";
import type { ConsoleDeps } from "../deps.ts";
import { cloudFor } from "./cloud-door.ts";
import { platformFor, type Received } from "./platform-door.ts";
import type { ConsoleSession } from "./session-book.ts";

/** Access tokens of signed-in people, of the platform and of the cloud. */
export interface PersonTokens {
  /**
   * Returns a token that is valid for at least a minute; undefined if no person is signed in there, or no longer. `as` is the kind of
   * account: `person` of the platform, `member` of the cloud.
   */
  find(session: ConsoleSession, received: Received, as?: AccountKind): Promise<string | undefined>;
}

export type AccountKind = "person" | "member";

interface TokenPair {
  accessToken: string;
  refreshToken: string;
}

/** Tokens are exchanged this long before they expire, for calls that take long. */
const spareMs = 60_000;

type TokenDeps = Pick<ConsoleDeps, "targets" | "clock" | "sessions">;

/** Exchanges a refresh token at the service that issued it. */
const exchanges: Readonly<
  Record<AccountKind, (deps: TokenDeps, received: Received, refreshToken: string) => Promise<TokenPair>>
> = {
  person: (deps, received, refreshToken) => platformFor(deps, received).refresh(refreshToken),
  async member(deps, received, refreshToken) {
    const next = await cloudFor(deps, received).refresh(refreshToken);
    return { accessToken: next.access_token, refreshToken: next.refresh_token };
  },
};

export function createPersonTokens(deps: TokenDeps): PersonTokens {
  // A refresh token can be exchanged only once, so simultaneous calls share the exchange.
  const running = new WeakMap<TokenPair, Promise<void>>();

  const isFresh = async ({ accessToken }: TokenPair) =>
    (await endMsOf(accessToken)) - deps.clock.now().getTime() > spareMs;

  async function exchange(
    kind: AccountKind,
    session: ConsoleSession,
    grant: TokenPair,
    received: Received,
  ): Promise<void> {
    // Another process may have exchanged it meanwhile.
    if (await isFresh(grant)) return;
    const { accessToken, refreshToken } = await exchanges[kind](deps, received, grant.refreshToken);
    Object.assign(grant, { accessToken, refreshToken });
    // Reusing an exchanged token looks like theft, so the new token must be stored at once.
    await deps.sessions.changed(session, "now");
  }

  return {
    async find(session, received, as = "person") {
      const grant = session.grants[as];
      if (grant === undefined) return undefined;
      if (await isFresh(grant)) return grant.accessToken;
      let exchanging = running.get(grant);
      if (exchanging === undefined) {
        exchanging = deps.sessions
          .alone(session, () => exchange(as, session, grant, received))
          .finally(() => running.delete(grant));
        running.set(grant, exchanging);
      }
      try {
        await exchanging;
        return grant.accessToken;
      } catch (thrown) {
        if (!(thrown instanceof AppError) || thrown.kind !== "unauthorized") throw thrown;
        delete session.grants[as];
        await deps.sessions.changed(session);
        return undefined;
      }
    },
  };
}

async function endMsOf(accessToken: string): Promise<number> {
  const { decodeJwt } = await import("jose");
  return (decodeJwt(accessToken).exp ?? 0) * 1000;
}
