import type { ConsoleService } from "../../../contracts/console/session.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { ConsoleDeps } from "../deps.ts";
import { hasEnded, holdsOperatorToken, mayUseDaemon } from "../sessions/grants-in-force.ts";
import type { PersonTokens } from "../sessions/person-tokens.ts";
import type { Received } from "../sessions/platform-door.ts";
import type { ConsoleSession } from "../sessions/session-book.ts";
import { sessionNeeded } from "../sessions/session-needed.ts";

/** A call from a page to a service. */
export interface Errand {
  session: ConsoleSession;
  home: ConsoleService;
  service: ConsoleService;
  /** Path within the service, unescaped. */
  path: string;
  received: Received;
}

/** Returns the headers that authorize a session's call. Throws AppError if the session may not use the service. */
export async function credentialFor(
  deps: ConsoleDeps,
  tokens: PersonTokens,
  errand: Errand,
): Promise<Credential> {
  const credential =
    errand.service === "daemon" ? forDaemon(deps, errand) : await forPlatform(deps, tokens, errand);
  if (credential !== undefined) return credential;
  if (hasEnded(errand.session.grants, deps)) throw sessionNeeded();
  throw notGranted(errand.service);
}

type Credential = Readonly<Record<string, string>>;

function forDaemon(deps: ConsoleDeps, { session: { grants }, home }: Errand): Credential | undefined {
  if (mayUseDaemon(grants, deps)) {
    return deps.apiToken === undefined ? {} : { authorization: `Bearer ${deps.apiToken}` };
  }
  // The daemon decides about the visitor by the request itself, as on its own port.
  return grants.visitor === true && home === "daemon" ? {} : undefined;
}

async function forPlatform(
  deps: ConsoleDeps,
  tokens: PersonTokens,
  { session, path, received }: Errand,
): Promise<Credential | undefined> {
  const isOperator = holdsOperatorToken(session.grants, deps);
  const isAdminPath = path === "/api/v1/admin" || path.startsWith("/api/v1/admin/");
  if (isAdminPath && isOperator && deps.operatorToken !== undefined) {
    return { "x-operator-token": deps.operatorToken };
  }
  const token = await tokens.find(session, received);
  if (token !== undefined) return { authorization: `Bearer ${token}` };
  return isOperator ? {} : undefined;
}

const hints: Readonly<Record<ConsoleService, string>> = {
  daemon: "Sign in with the API token, or open the link that `argosy console` prints.",
  platform: "Sign in with an account of the platform.",
};

function notGranted(service: ConsoleService): AppError {
  const message = `This session may not use the ${service}.`;
  return new AppError("forbidden", "not_granted", message, { details: { hint: hints[service] } });
}
