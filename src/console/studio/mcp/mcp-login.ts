import type { McpServerView } from "../../../contracts/daemon/agents.ts";
import type { DaemonClient } from "../../../contracts/daemon/client.ts";
import { mcpTexts as texts } from "../../texts/studio/resources.ts";

/** The entry of a sign-in, kept while the browser is away from this page. */
export interface PendingLogin {
  agent: string;
  entry: string;
}

const keyOf = (state: string) => `argosy-mcp-login ${state}`;

/** Returns true if a server is down because it requires a sign-in: its message then names the command. */
export const asksForLogin = ({ status, message = "" }: Pick<McpServerView, "status" | "message">): boolean =>
  status === "down" && message.includes("argosy mcp login");

/** Returns true if a sign-in can redirect to this page, which is possible only on the machine that runs Argosy. */
export const canComeBack = (): boolean =>
  location.protocol === "http:" && /^(127\.0\.0\.1|\[::1\]|localhost)$/.test(location.hostname);

/** Sends the browser to the server's sign-in page. */
export async function beginLogin(daemon: DaemonClient, agent: string, entry: string): Promise<void> {
  const back = `${location.origin}/studio/mcp`;
  const { authorization_url, state } = await daemon.beginMcpLogin(agent, entry, back);
  if (!/^https?:$/.test(URL.parse(authorization_url)?.protocol ?? "")) throw new Error(texts.badAddress);
  const pending: PendingLogin = { agent, entry };
  sessionStorage.setItem(keyOf(state), JSON.stringify(pending));
  location.assign(authorization_url);
}

/** Returns and removes the pending sign-in for `state`. */
export function takePendingLogin(state: string): PendingLogin | undefined {
  const kept = sessionStorage.getItem(keyOf(state));
  sessionStorage.removeItem(keyOf(state));
  return kept === null ? undefined : (JSON.parse(kept) as PendingLogin);
}

/** The parameters with which a server's sign-in page redirects the browser back. */
export type McpLoginAnswer =
  | { state: string; code: string; iss?: string }
  | { state: string; refusal: string };

/** Parses the query of a sign-in redirect; returns undefined for any other address. */
export function readLoginAnswer(query: URLSearchParams): McpLoginAnswer | undefined {
  const state = query.get("state");
  if (state === null) return undefined;
  const code = query.get("code");
  const iss = query.get("iss");
  if (code !== null) return { state, code, ...(iss === null ? {} : { iss }) };
  const error = query.get("error");
  return error === null ? undefined : { state, refusal: query.get("error_description") ?? error };
}
