import type { ConsoleDeps } from "../deps.ts";
import { byLink, digest, type Grants } from "./grants.ts";

type Tokens = Pick<ConsoleDeps, "apiToken" | "operatorToken">;

/** Whether a session may use the daemon by more than being there. */
export const mayUseDaemon = ({ daemon }: Grants, { apiToken }: Tokens): boolean =>
  daemon === byLink || (daemon !== undefined && apiToken !== undefined && daemon === digest(apiToken));

/** Whether a session holds the operator token that is in force. */
export const holdsOperatorToken = ({ operator }: Grants, { operatorToken }: Tokens): boolean =>
  operator !== undefined && operatorToken !== undefined && operator === digest(operatorToken);

/** Whether what a session was given has ended: its tokens were changed, its person is signed out. */
export const hasEnded = (grants: Grants, tokens: Tokens): boolean =>
  grants.visitor !== true &&
  grants.person === undefined &&
  !mayUseDaemon(grants, tokens) &&
  !holdsOperatorToken(grants, tokens);
