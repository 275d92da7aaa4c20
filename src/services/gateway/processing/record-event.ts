import { and, eq } from "drizzle-orm";
import type {
  EchoEvent,
  MovedEvent,
  ReachableEvent,
  StatusEvent,
} from "../../../channels/inbound/inbound-event.ts";
import { closeEvent } from "../../../channels/inbox/close-event.ts";
import type { KeptEvent } from "../../../channels/inbox/event-row.ts";
import { recordEcho } from "../../../channels/outbox/record-echo.ts";
import { recordReceipt } from "../../../channels/outbox/record-receipt.ts";
import { moveRecipient } from "../../../channels/outbox/settle-messages.ts";
import type { Query } from "../../../storage/storage.ts";
import { findAddress } from "../contacts/addresses.ts";
import { joinContact } from "../contacts/find-contact.ts";
import { beginConversation } from "../conversations/begin-conversation.ts";
import { lockConversationWith } from "../conversations/store.ts";
import { dropIdentities, noteIdentity } from "../identities/store.ts";
import type { InboundRow } from "../inbound/schema.ts";
import type { GatewayTables } from "../tables.ts";
import { noteEcho } from "./note-message.ts";
import type { ProcessPorts } from "./process-event.ts";
import { recordReport } from "./record-report.ts";

/** Records an event that no agent answers, and closes it. Returns its outcome. */
export async function recordEvent(
  ports: ProcessPorts,
  row: InboundRow,
  event: Exclude<KeptEvent, { type: "message" } | { type: "reaction" }>,
): Promise<string> {
  const { storage, clock } = ports;
  const { tables } = storage;
  const closing = (outcome: string, record: (tx: Query, now: Date) => Promise<void> = async () => {}) =>
    storage.transact(
      async (tx) => {
        const now = clock.now();
        await record(tx, now);
        await closeEvent(tx, tables, row, { outcome }, now);
        return outcome;
      },
      { isolation: "read committed" },
    );
  const { tenantId, channel } = row;
  switch (event.type) {
    case "status":
      await joinRecipient(ports, row, event);
      // A receipt raises the status only, so a try that is repeated after a crash changes nothing.
      return closing((await noteStatus(ports, row, event)) ? "receipt" : "unknown_message");
    case "echo": {
      if (await isOurs(ports, row, event)) return closing("echo");
      return closing("echo", (tx, now) => noteOthersEcho(tx, ports, row, event, now));
    }
    case "identity":
      return closing("identity", async (tx, verifiedAt) => {
        const { phone, address } = event;
        await noteIdentity(tx, tables, {
          tenantId,
          channel,
          phone,
          externalUser: address.address,
          verifiedAt,
        });
      });
    case "moved": {
      const outcome = await closing("moved", (tx) => moveUser(tx, ports, row, event));
      ports.bell.ring();
      return outcome;
    }
    case "reachable":
      return closing("reachable", (tx, now) => noteReachable(tx, tables, row, event, now));
    default:
      return closing(event.reason, (tx) => recordReport(tx, tables, row, event));
  }
}

/** A status may name both addresses of its recipient. */
async function joinRecipient(
  { storage, newId, clock }: ProcessPorts,
  row: InboundRow,
  { recipient, recipientAlias, at }: StatusEvent,
): Promise<void> {
  if (recipient === undefined || recipientAlias === undefined) return;
  const { tables } = storage;
  const named = { addresses: [recipient.address, recipientAlias.address] as const, at };
  await storage.transact(
    async (tx) => {
      for (const address of named.addresses) {
        // Nobody becomes a contact by a status alone: they may have been forgotten.
        if ((await findAddress(tx, tables, row, address)) === undefined) continue;
        await joinContact(tx, tables, newId, row, named, clock.now());
        return;
      }
    },
    { isolation: "read committed" },
  );
}

/** Updates the message that a status is about: by our own id if the provider returns it, otherwise by its id. */
async function noteStatus(
  ports: ProcessPorts,
  { accountId, tenantId, channel }: InboundRow,
  { token, messageId, status, error }: StatusEvent,
): Promise<boolean> {
  if (status === "other") return false;
  const code = error?.code === undefined ? undefined : String(error.code);
  const receipt = {
    token,
    status,
    code,
    details: error?.details ?? error?.title,
    channelMessageId: messageId,
  };
  const id = await recordReceipt(ports, accountId, receipt);
  if (id === undefined) return false;
  ports.feed.publish({
    about: "outbound",
    change: status,
    tenant_id: tenantId,
    account_id: accountId,
    channel,
    message_id: id,
  });
  return true;
}

/** Returns true for the echo of a message of the outbox. It settles one whose outcome was unknown. */
async function isOurs(
  ports: ProcessPorts,
  { accountId, tenantId }: InboundRow,
  { messageId, recipient, text, media }: EchoEvent,
): Promise<boolean> {
  const echo = {
    recipient: recipient.address,
    text: text ?? "",
    hasMedia: media.length > 0,
    channelMessageId: messageId,
  };
  return (await recordEcho(ports, { id: accountId, tenantId }, echo)) !== undefined;
}

/** Notes a message that another program or person wrote from our account. */
async function noteOthersEcho(
  tx: Query,
  { storage: { tables }, newId }: ProcessPorts,
  row: InboundRow,
  event: EchoEvent,
  now: Date,
): Promise<void> {
  const { recipient, recipientAlias } = event;
  const alias = recipientAlias === undefined ? [] : [recipientAlias.address];
  const named = { addresses: [recipient.address, ...alias] as const, at: event.sentAt };
  const { conversation } = await beginConversation(tx, tables, newId, row, named, now);
  await noteEcho(tx, tables, row, event, conversation.id);
}

/** Moves a user's conversation and what waits for them to their new address. A number that was verified for the old one is forgotten. */
async function moveUser(
  tx: Query,
  ports: ProcessPorts,
  row: InboundRow,
  { from, to, at }: MovedEvent,
): Promise<void> {
  const { tenantId, accountId } = row;
  await dropIdentities(tx, ports.storage.tables, { ...row, externalUser: from.address });
  await moveRecipient(tx, ports, { tenantId, accountId, from: from.address, to: to.address, at });
}

async function noteReachable(
  tx: Query,
  tables: GatewayTables,
  row: InboundRow,
  { address, isReachable }: ReachableEvent,
  now: Date,
): Promise<void> {
  const conversation = await lockConversationWith(tx, tables, row, address.address);
  if (conversation === undefined) return;
  const { conversations } = tables;
  await tx
    .update(conversations)
    .set({ unreachableAt: isReachable ? null : now })
    .where(and(eq(conversations.tenantId, conversation.tenantId), eq(conversations.id, conversation.id)))
    .returning({ id: conversations.id });
}
