import type { ConsoleService } from "../../../contracts/console/session.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { ConsoleDeps } from "../deps.ts";
import { hasEnded, holdsOperatorToken, mayUseDaemon } from "../sessions/grants-in-force.ts";
import type { PersonTokens } from "../sessions/person-tokens.ts";
import type { Received } from "../sessions/platform-door.ts";
import type { ConsoleSession } from "../sessions/session-book.ts";
import { sessionNeeded } from "../sessions/session-needed.ts";

/** Who asks for what. */
export interface Errand {
  session: ConsoleSession;
  home: ConsoleService;
  service: ConsoleService;
  /** Within the service, without escapes. */
  path: string;
  received: Received;
}

/** The headers by which a session's call shows what the session may; AppError when it may do nothing there. */
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
  // The daemon judges the visitor by the request itself, as it does on its own port.
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
