import { AppError } from "../../../kit/app-error.ts";
import type { ConsoleDeps } from "../deps.ts";
import type { PersonGrant } from "./grants.ts";
import { platformFor, type Received } from "./platform-door.ts";
import type { ConsoleSession } from "./session-book.ts";

/** Access tokens of signed-in people. */
export interface PersonTokens {
  /** Returns a token that is valid for at least a minute; undefined if no person is signed in, or no longer. */
  find(session: ConsoleSession, received: Received): Promise<string | undefined>;
}

/** Tokens are exchanged this long before they expire, for calls that take long. */
const spareMs = 60_000;

export function createPersonTokens(deps: Pick<ConsoleDeps, "targets" | "clock" | "sessions">): PersonTokens {
  // A refresh token can be exchanged only once, so simultaneous calls share the exchange.
  const exchanges = new WeakMap<PersonGrant, Promise<void>>();

  async function exchange(person: PersonGrant, received: Received): Promise<void> {
    const pair = await platformFor(deps, received).refresh(person.refreshToken);
    Object.assign(person, pair);
    // Reusing an exchanged token looks like theft, so the new token must be stored at once.
    deps.sessions.changed("now");
  }

  return {
    async find(session, received) {
      const { person } = session.grants;
      if (person === undefined) return undefined;
      if ((await endMsOf(person.accessToken)) - deps.clock.now().getTime() > spareMs)
        return person.accessToken;
      let exchanging = exchanges.get(person);
      if (exchanging === undefined) {
        exchanging = exchange(person, received).finally(() => exchanges.delete(person));
        exchanges.set(person, exchanging);
      }
      try {
        await exchanging;
        return person.accessToken;
      } catch (thrown) {
        if (!(thrown instanceof AppError) || thrown.kind !== "unauthorized") throw thrown;
        // Also after `refresh_raced`: the resulting pair is not ours, and another attempt would end the session.
        delete session.grants.person;
        deps.sessions.changed();
        return undefined;
      }
    },
  };
}

async function endMsOf(accessToken: string): Promise<number> {
  const { decodeJwt } = await import("jose");
  return (decodeJwt(accessToken).exp ?? 0) * 1000;
}
