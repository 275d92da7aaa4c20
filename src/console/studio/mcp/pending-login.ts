import type { McpServerView } from "../../../contracts/daemon/agents.ts";
import type { DaemonClient } from "../../../contracts/daemon/client.ts";
import { mcpTexts as texts } from "../../texts/studio-parts.ts";

/** Which entry a sign-in is for, from leaving this page until coming back to it. */
export interface PendingLogin {
  agent: string;
  entry: string;
}

const keyOf = (state: string) => `argosy-mcp-login ${state}`;

/** Whether a server is down because it wants to know who is calling: its message then names the command that signs in. */
export const asksForLogin = ({ status, message = "" }: Pick<McpServerView, "status" | "message">): boolean =>
  status === "down" && message.includes("argosy mcp login");

/** Whether a sign-in may come back to this page: only to the machine that Argosy runs on. */
export const canComeBack = (): boolean =>
  location.protocol === "http:" && /^(127\.0\.0\.1|\[::1\]|localhost)$/.test(location.hostname);

/** Leads the browser to where the server's people sign in. */
export async function beginLogin(daemon: DaemonClient, agent: string, entry: string): Promise<void> {
  const back = `${location.origin}/studio/mcp`;
  const { authorization_url, state } = await daemon.beginMcpLogin(agent, entry, back);
  if (!/^https?:$/.test(URL.parse(authorization_url)?.protocol ?? "")) throw new Error(texts.badAddress);
  const pending: PendingLogin = { agent, entry };
  sessionStorage.setItem(keyOf(state), JSON.stringify(pending));
  location.assign(authorization_url);
}

/** What a sign-in that came back with `state` was for; known once. */
export function takePendingLogin(state: string): PendingLogin | undefined {
  const kept = sessionStorage.getItem(keyOf(state));
  sessionStorage.removeItem(keyOf(state));
  return kept === null ? undefined : (JSON.parse(kept) as PendingLogin);
}
