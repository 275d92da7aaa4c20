import { actingForHeader, personAtDesk } from "../../../contracts/gateway/desk.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { ConsoleDeps } from "../deps.ts";
import { hasEnded, holdsOperatorToken, mayAdminister, mayUseDaemon } from "../sessions/grants.ts";
import type { PersonTokens } from "../sessions/person-tokens.ts";
import type { Received } from "../sessions/platform-door.ts";
import type { ConsoleSession } from "../sessions/session-book.ts";
import { sessionNeeded } from "../sessions/session-cookie.ts";
import { type ConsoleRules, isBelow, type SessionCredential } from "../targets.ts";

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
  const credential = await credentialBy(deps, tokens, call, rule);
  if (credential !== undefined) return credential;
  if (hasEnded(call.session.grants, deps)) throw sessionNeeded();
  const message = `This session may not use the ${call.service}.`;
  throw new AppError("forbidden", "not_granted", message, { details: { hint } });
}

function credentialBy(deps: ConsoleDeps, tokens: PersonTokens, call: PageCall, rule: SessionCredential) {
  switch (rule.by) {
    case "api_token":
      return byApiToken(deps, call);
    case "admin_token":
      // The target's app adds the token itself: the owner of the machine needs none.
      return mayAdminister(call.session.grants, deps)
        ? actingFor(call.session.grants)
        : byTenantsPerson(tokens, call);
    case "member":
      return byMember(tokens, call);
    case "person":
      return byPerson(deps, tokens, call, rule.operatorPath);
  }
}

/** The gateway asks the platform which tenant's desk the person is. */
async function byTenantsPerson(
  tokens: PersonTokens,
  { session, received }: PageCall,
): Promise<Credential | undefined> {
  const token = await tokens.find(session, received);
  return token === undefined ? undefined : { authorization: `Bearer ${token}` };
}

/** The service learns which of its operators it is. */
function actingFor(grants: ConsoleSession["grants"]): Credential {
  const person = personAtDesk(grants);
  return person === undefined ? {} : { [actingForHeader]: encodeURIComponent(person) };
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

async function byMember(
  tokens: PersonTokens,
  { session, received }: PageCall,
): Promise<Credential | undefined> {
  const token = await tokens.find(session, received, "member");
  return token === undefined ? undefined : { authorization: `Bearer ${token}` };
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
