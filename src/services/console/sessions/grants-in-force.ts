import type { ConsoleDeps } from "../deps.ts";
import { byLink, digest, type Grants } from "./grants.ts";

type Tokens = Pick<ConsoleDeps, "apiToken" | "operatorToken">;

/** Returns true if a session may use the daemon with a credential, not just as a visitor. */
export const mayUseDaemon = ({ daemon }: Grants, { apiToken }: Tokens): boolean =>
  daemon === byLink || (daemon !== undefined && apiToken !== undefined && daemon === digest(apiToken));

/** Returns true if a session has the current operator token. */
export const holdsOperatorToken = ({ operator }: Grants, { operatorToken }: Tokens): boolean =>
  operator !== undefined && operatorToken !== undefined && operator === digest(operatorToken);

/** Returns true if none of a session's grants is valid any more, because tokens were changed or the person is signed out. */
export const hasEnded = (grants: Grants, tokens: Tokens): boolean =>
  grants.visitor !== true &&
  grants.person === undefined &&
  !mayUseDaemon(grants, tokens) &&
  !holdsOperatorToken(grants, tokens);
