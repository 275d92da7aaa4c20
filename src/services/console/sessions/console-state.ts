import type { ConsoleState, SignedInAs } from "../../../contracts/console/session.ts";
import type { PlatformClient } from "../../../contracts/platform/clients/client.ts";
import { hasRight } from "../../../contracts/platform/tenant-rights.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { ConsoleDeps } from "../deps.ts";
import { targetsBy } from "../targets.ts";
import { cloudFor } from "./cloud-door.ts";
import { hasEnded, holdsOperatorToken, mayAdminister, mayUseDaemon } from "./grants.ts";
import { isOpen } from "./open-door.ts";
import type { PersonTokens } from "./person-tokens.ts";
import { platformFor, type Received } from "./platform-door.ts";
import type { ConsoleSession } from "./session-book.ts";

/** The service besides the daemon that the API token opens. */
const translator = "translator";

/** Returns a page's view of its session, or of the ways to begin one. Removes ended grants from the session. */
export async function consoleState(
  deps: ConsoleDeps,
  home: string,
  received: Received,
  session: ConsoleSession | undefined,
  tokens: PersonTokens,
): Promise<ConsoleState> {
  const { version, targets, apiToken, operatorToken, adminToken, registration, members } = deps;
  const [platform] = targetsBy(targets, "person");
  const person = platform?.app.routes().some(({ path }) => path === "/auth/login") === true;
  return {
    version,
    home,
    services: [...targets.keys()],
    ways: {
      open: isOpen(deps, home, received.request),
      person,
      registration: person && registration,
      token:
        (targetsBy(targets, "api_token").length > 0 && apiToken !== undefined) ||
        (targetsBy(targets, "admin_token").length > 0 && adminToken !== undefined) ||
        (platform !== undefined && operatorToken !== undefined),
      ...(members && { cloud: members.ways }),
    },
    signed_in: session === undefined ? null : await signedInAs(deps, home, received, session, tokens),
  };
}

async function signedInAs(
  deps: ConsoleDeps,
  home: string,
  received: Received,
  session: ConsoleSession,
  tokens: PersonTokens,
): Promise<SignedInAs | null> {
  await lookAfterPerson(deps, received, session, tokens);
  await lookAfterMember(deps, received, session, tokens);
  const { grants } = session;
  const { person } = grants;
  const desk = await desksOf(deps, received, session, tokens);
  if (hasEnded(grants, deps)) await deps.sessions.close(session);
  const isVisitor = grants.visitor === true && isOpen(deps, home, received.request);
  const maySetUp = mayUseDaemon(grants, deps);
  const state: SignedInAs = {
    daemon: maySetUp || (isVisitor && home !== translator),
    operator: holdsOperatorToken(grants, deps) || person?.operator === true,
    ...(mayAdminister(grants, deps) && { gateway: true as const }),
    ...(desk.length > 0 && { desk }),
    // A visitor uses only the service of the listener.
    ...(deps.targets.has(translator) &&
      (maySetUp || (isVisitor && home === translator)) && { translator: true as const }),
    ...(grants.member && { cloud: true as const }),
    ...(person && {
      person: {
        id: person.id,
        email: person.email,
        display_name: person.display_name,
        ...(person.expired === true && { password_expired: true as const }),
      },
    }),
    local: grants.local === true,
  };
  const { local: _, ...permissions } = state;
  return Object.values(permissions).some((permission) => permission !== false) ? state : null;
}

/** Asks the cloud whether the person is still signed in. */
async function lookAfterMember(
  deps: ConsoleDeps,
  received: Received,
  session: ConsoleSession,
  tokens: PersonTokens,
): Promise<void> {
  const token = await tokens.find(session, received, "member");
  if (token === undefined || (await isAllowed(() => cloudFor(deps, received, token).orgs()))) return;
  delete session.grants.member;
  await deps.sessions.changed(session);
}

/** Asks the platform whether the person is still signed in, under which address, and whether they are still an operator. */
async function lookAfterPerson(
  deps: ConsoleDeps,
  received: Received,
  session: ConsoleSession,
  tokens: PersonTokens,
): Promise<void> {
  const { person } = session.grants;
  const token = await tokens.find(session, received);
  if (person === undefined || token === undefined) return;
  const client = platformFor(deps, received, token);
  const found = await accountOf(client);
  if (found === undefined) {
    delete session.grants.person;
    await deps.sessions.changed(session);
    return;
  }
  const { email = person.email, expired } = found;
  const operator = !expired && (await isOperator(client));
  if (person.operator === operator && person.email === email && (person.expired ?? false) === expired) return;
  Object.assign(person, { operator, email, expired });
  await deps.sessions.changed(session);
}

/** Returns undefined if the person is no longer signed in. One who must change the password first is told nothing else. */
async function accountOf(client: PlatformClient): Promise<{ email?: string; expired: boolean } | undefined> {
  try {
    const { email } = await client.me();
    return { email, expired: false };
  } catch (thrown) {
    if (thrown instanceof AppError && thrown.kind === "unauthorized") return undefined;
    if (thrown instanceof AppError && thrown.code === "password_expired") return { expired: true };
    throw thrown;
  }
}

/** Tenants whose desk the person may be, if a gateway runs here. */
async function desksOf(
  deps: ConsoleDeps,
  received: Received,
  session: ConsoleSession,
  tokens: PersonTokens,
): Promise<NonNullable<SignedInAs["desk"]>> {
  const { person } = session.grants;
  if (person === undefined || person.expired === true || targetsBy(deps.targets, "admin_token").length === 0)
    return [];
  const token = await tokens.find(session, received);
  if (token === undefined) return [];
  const { tenants } = await platformFor(deps, received, token).listTenants();
  return tenants.flatMap(({ id, displayName, role }) =>
    hasRight(role, "desk") ? [{ id, name: displayName, role }] : [],
  );
}

/** Only the operators' own routes can tell, because they refuse all other callers. */
export const isOperator = (client: PlatformClient): Promise<boolean> =>
  isAllowed(() => client.listAudit({ limit: 1 }));

async function isAllowed(ask: () => Promise<unknown>): Promise<boolean> {
  try {
    await ask();
    return true;
  } catch (thrown) {
    if (thrown instanceof AppError && thrown.kind === "unauthorized") return false;
    throw thrown;
  }
}
