import { decodeJwt } from "jose";
import { AppError } from "../../../kit/app-error.ts";
import type { ConsoleDeps } from "../deps.ts";
import type { PersonGrant } from "./grants.ts";
import { platformFor, type Received } from "./platform-door.ts";
import type { ConsoleSession } from "./session-book.ts";

/** The access tokens of signed-in people. */
export interface PersonTokens {
  /** One that holds for a while longer; undefined when nobody is signed in, or is any more. */
  find(session: ConsoleSession, received: Received): Promise<string | undefined>;
}

/** Exchanged this long before their end, for calls that take their time. */
const spareMs = 60_000;

export function createPersonTokens(deps: Pick<ConsoleDeps, "targets" | "clock" | "sessions">): PersonTokens {
  // A refresh token is good for one exchange: calls at once wait for the same one.
  const exchanges = new WeakMap<PersonGrant, Promise<void>>();

  async function exchange(person: PersonGrant, received: Received): Promise<void> {
    const pair = await platformFor(deps, received).refresh(person.refreshToken);
    Object.assign(person, pair);
    // A token that was exchanged and comes again looks stolen: the new one must not be lost with this process.
    deps.sessions.changed("now");
  }

  return {
    async find(session, received) {
      const { person } = session.grants;
      if (person === undefined) return undefined;
      if (endMsOf(person.accessToken) - deps.clock.now().getTime() > spareMs) return person.accessToken;
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
        // Also when it was raced (`refresh_raced`): the pair that came of it is not ours, and asking once more ends it for all.
        delete session.grants.person;
        deps.sessions.changed();
        return undefined;
      }
    },
  };
}

function endMsOf(accessToken: string): number {
  return (decodeJwt(accessToken).exp ?? 0) * 1000;
}
