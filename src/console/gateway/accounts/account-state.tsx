import type { DirectoryEntry, GatewaySetup } from "../../../contracts/gateway/directory.ts";
import { StatusBadge, type Tone } from "../../parts/text/status-badge.tsx";
import { accountTexts as texts } from "../../texts/gateway/accounts.ts";

/** Facts about an account that an operator should know, the most urgent first. */
export type AccountState = keyof typeof texts.state;

const tones: Readonly<Record<AccountState, Tone>> = {
  healthy: "good",
  paused: "bad",
  unbound: "warn",
  refused: "warn",
};

/** Returns the state of an account under this setup. */
export function accountState(
  { account, binding }: DirectoryEntry,
  setup: GatewaySetup | undefined,
): AccountState {
  if (account.status === "paused") return "paused";
  const accepts = setup?.channels.find(({ channel }) => channel === account.channel)?.accepts ?? true;
  const hasOwnApp = account.credentials.app_secret !== undefined;
  if (!accepts && !account.emulated && !hasOwnApp) return "refused";
  return binding === null ? "unbound" : "healthy";
}

/** The state in a word. */
export function AccountBadge({ state }: { state: AccountState }) {
  return <StatusBadge tone={tones[state]}>{texts.state[state]}</StatusBadge>;
}
