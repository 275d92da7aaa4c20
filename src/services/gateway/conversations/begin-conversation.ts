import { AppError } from "../../../kit/app-error.ts";
import type { NewId } from "../../../kit/id.ts";
import type { Query } from "../../../storage/storage.ts";
import type { AddressPlace } from "../contacts/addresses.ts";
import { holdContact, joinContact, type NamedAddresses } from "../contacts/find-contact.ts";
import type { GatewayTables } from "../tables.ts";
import { sessionIdOf } from "./session-id.ts";
import { addConversation, type ConversationRow, lockConversationOf } from "./store.ts";

export interface BegunConversation {
  /** Locked until the transaction ends. */
  conversation: ConversationRow;
  isNew: boolean;
}

/** Others may begin or merge the same conversation at the same time. */
const roundsMax = 4;

/** Returns the account's conversation with the person who has the addresses; begins it if there is none. */
export async function beginConversation(
  tx: Query,
  tables: GatewayTables,
  newId: NewId,
  place: AddressPlace,
  named: NamedAddresses & { recipient?: string | null; begins?: boolean },
  now: Date,
): Promise<BegunConversation> {
  const { tenantId, accountId, channel } = place;
  const [externalUser] = named.addresses;
  for (let round = 1; round <= roundsMax; round++) {
    const contactId = await joinContact(tx, tables, newId, place, named, now);
    const found = await lockConversationOf(tx, tables, place, contactId);
    if (found !== undefined) return { conversation: found, isNew: false };
    // It may have been merged or forgotten meanwhile.
    if (!(await holdContact(tx, tables, tenantId, contactId))) continue;
    const conversation: ConversationRow = {
      id: newId(),
      tenantId,
      channel,
      accountId,
      externalUser,
      contactId,
      recipient: named.recipient ?? null,
      sessionId: sessionIdOf(place, externalUser),
      agentName: null,
      handoffAgent: null,
      openedAt: null,
      unreachableAt: null,
      contactName: named.name ?? null,
      mode: "bot",
      seenAt: null,
      lastMessageAt: now,
      createdAt: now,
      // Else the user begins it by their first message.
      begunAt: named.begins === true ? now : null,
      answeredAt: null,
      csatAskedAt: null,
    };
    if (await addConversation(tx, tables, conversation)) return { conversation, isNew: true };
  }
  throw new AppError("conflict", "transaction_conflict", "The conversation changed at the same time.");
}
