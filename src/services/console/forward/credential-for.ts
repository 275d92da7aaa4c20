import { AppError } from "../../../kit/app-error.ts";
import type { ConsoleDeps } from "../deps.ts";
import { hasEnded, holdsOperatorToken, mayUseDaemon } from "../sessions/grants-in-force.ts";
import type { PersonTokens } from "../sessions/person-tokens.ts";
import type { Received } from "../sessions/platform-door.ts";
import type { ConsoleSession } from "../sessions/session-book.ts";
import { sessionNeeded } from "../sessions/session-needed.ts";
import { type ConsoleRules, isBelow } from "../targets.ts";

/** A call from a page to a service. */
export interface PageCall {
  session: ConsoleSession;
  /** Service on whose listener the page was opened. */
  home: string;
  /** Service that the page calls. */
  service: string;
  /** Path within the service, unescaped. */
  path: string;
  received: Received;
}

/** Returns the headers that authorize a session's call. Throws AppError if the session may not use the service. */
export async function credentialFor(
  deps: ConsoleDeps,
  tokens: PersonTokens,
  call: PageCall,
  { credential: rule, hint }: Pick<ConsoleRules, "credential" | "hint">,
): Promise<Credential> {
  const credential =
    rule.by === "api_token" ? byApiToken(deps, call) : await byPerson(deps, tokens, call, rule.operatorPath);
  if (credential !== undefined) return credential;
  if (hasEnded(call.session.grants, deps)) throw sessionNeeded();
  const message = `This session may not use the ${call.service}.`;
  throw new AppError("forbidden", "not_granted", message, { details: { hint } });
}

type Credential = Readonly<Record<string, string>>;

function byApiToken(
  deps: ConsoleDeps,
  { session: { grants }, home, service }: PageCall,
): Credential | undefined {
  if (mayUseDaemon(grants, deps)) {
    return deps.apiToken === undefined ? {} : { authorization: `Bearer ${deps.apiToken}` };
  }
  // The service decides about the visitor by the request itself, as on its own port.
  return grants.visitor === true && home === service ? {} : undefined;
}

async function byPerson(
  deps: ConsoleDeps,
  tokens: PersonTokens,
  { session, path, received }: PageCall,
  operatorPath: string,
): Promise<Credential | undefined> {
  const isOperator = holdsOperatorToken(session.grants, deps);
  if (isBelow(path, operatorPath) && isOperator && deps.operatorToken !== undefined) {
    return { "x-operator-token": deps.operatorToken };
  }
  const token = await tokens.find(session, received);
  if (token !== undefined) return { authorization: `Bearer ${token}` };
  return isOperator ? {} : undefined;
}
