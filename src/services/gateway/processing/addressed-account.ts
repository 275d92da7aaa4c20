import type { MessageEvent } from "../../../channels/inbound/inbound-event.ts";
import { openAccount } from "../accounts/credentials.ts";
import { type AccountRow, findAccount } from "../accounts/store.ts";
import type { BindingConfig } from "../bindings/binding-config.ts";
import type { InboundRow } from "../inbound/schema.ts";
import type { ProcessPorts } from "./process-event.ts";

/** Asks providers how users mention an account. */
export interface AccountNames {
  /** Never rejects; undefined if the provider doesn't tell. */
  nameOf(account: AccountRow): Promise<string | undefined>;
}

/** Returns the account's own name in lower case, if it decides whether a message of a group addresses the account. */
export async function mentionedName(
  { storage, names }: ProcessPorts,
  { tenantId, accountId }: InboundRow,
  { addresses = {} }: MessageEvent,
): Promise<string | undefined> {
  if (addresses.us === true || addresses.names === undefined) return undefined;
  const account = await findAccount(storage.read, storage.tables, tenantId, accountId);
  return account === undefined ? undefined : (await names.nameOf(account))?.toLowerCase();
}

/** True if the binding answers this message. A message of a group must address the account, unless the binding says otherwise. */
export function isAnswered(
  { sealer }: Pick<ProcessPorts, "sealer">,
  account: AccountRow,
  { groups = "addressed" }: BindingConfig,
  { conversation, addresses = {} }: MessageEvent,
  ownName: string | undefined,
): boolean {
  if (!conversation.isGroup || groups === "all") return true;
  if (groups === "none") return false;
  const { us, ids = [], names = [] } = addresses;
  if (us === true) return true;
  if (ids.length > 0) {
    // A bot's token begins with its id.
    const botId = openAccount(sealer, account).credentials.bot_token?.split(":")[0];
    if (botId !== undefined && ids.includes(botId)) return true;
  }
  // All bots' names end so; without our own, any may be ours.
  return names.some((name) => (ownName === undefined ? name.endsWith("bot") : name === ownName));
}
