import { and, eq } from "drizzle-orm";
import type {
  EchoEvent,
  MovedEvent,
  ReachableEvent,
  StatusEvent,
} from "../../../channels/inbound/inbound-event.ts";
import { partOfToken } from "../../../channels/sending/outgoing-message.ts";
import type { Query } from "../../../storage/storage.ts";
import { type ConversationRow, findConversationWith } from "../conversations/store.ts";
import { dropIdentities, noteIdentity } from "../identities/store.ts";
import { closeEvent } from "../inbound/close-event.ts";
import type { InboundRow, KeptEvent } from "../inbound/event-row.ts";
import { findOpenTo, findSent, recordReceipt } from "../outbox/record-receipt.ts";
import type { GatewayTables } from "../tables.ts";
import { noteEcho } from "./note-message.ts";
import type { ProcessPorts } from "./process-event.ts";
import { recordReport } from "./record-report.ts";

/** Records an event that no agent answers, and closes it. Returns its outcome. */
export async function recordEvent(
  ports: ProcessPorts,
  row: InboundRow,
  event: Exclude<KeptEvent, { type: "message" }>,
): Promise<string> {
  const { storage, clock } = ports;
  const { tables } = storage;
  const closing = (outcome: string, record: (tx: Query, now: Date) => Promise<void> = async () => {}) =>
    storage.transact(async (tx) => {
      const now = clock.now();
      await record(tx, now);
      await closeEvent(tx, tables, row, { outcome }, now);
      return outcome;
    });
  const { tenantId, channel } = row;
  switch (event.type) {
    case "status":
      // A receipt raises the status only, so a try that is repeated after a crash changes nothing.
      return closing((await noteStatus(ports, row, event)) ? "receipt" : "unknown_message");
    case "echo": {
      if (await isOurs(ports, row, event)) return closing("echo");
      return closing("echo", (tx) => recordEcho(tx, tables, row, event));
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
    case "moved":
      return closing("moved", (tx) => moveConversation(tx, tables, row, event));
    case "reachable":
      return closing("reachable", (tx, now) => noteReachable(tx, tables, row, event, now));
    default:
      return closing(event.reason, (tx) => recordReport(tx, tables, row, event));
  }
}

/** Updates the message that a status is about: by our own id if the provider returns it, otherwise by its id. */
async function noteStatus(
  ports: ProcessPorts,
  row: InboundRow,
  { token, messageId, status, error }: StatusEvent,
): Promise<boolean> {
  if (status === "other") return false;
  const id =
    token === undefined ? (await findSent(ports.storage, row, messageId))?.id : partOfToken(token).token;
  if (id === undefined) return false;
  const code = error?.code === undefined ? undefined : String(error.code);
  return recordReceipt(ports, row.accountId, { token: id, status, code, channelMessageId: messageId });
}

/** Returns true for the echo of a message of the outbox. It settles one whose outcome was unknown. */
async function isOurs(
  ports: ProcessPorts,
  row: InboundRow,
  { messageId, recipient, text }: EchoEvent,
): Promise<boolean> {
  const { storage } = ports;
  if ((await findSent(storage, row, messageId)) !== undefined) return true;
  const open = await findOpenTo(storage, { ...row, recipient: recipient.address });
  const tried = open.find(
    ({ unknowns, status, payload }) => (unknowns > 0 || status === "sending") && payload.text === text,
  );
  if (tried === undefined) return false;
  return recordReceipt(ports, row.accountId, {
    token: tried.id,
    status: "sent",
    channelMessageId: messageId,
  });
}

/** Finds the conversation of the row's account with an address. */
export const conversationOf = (
  tx: Query,
  tables: GatewayTables,
  { tenantId, accountId }: InboundRow,
  externalUser: string,
): Promise<ConversationRow | undefined> =>
  findConversationWith(tx, tables, { tenantId, accountId, externalUser });

async function recordEcho(
  tx: Query,
  tables: GatewayTables,
  row: InboundRow,
  event: EchoEvent,
): Promise<void> {
  const conversation = await conversationOf(tx, tables, row, event.recipient.address);
  if (conversation !== undefined) await noteEcho(tx, tables, row, event, conversation.id);
}

/** Moves a conversation to a user's new address. A number that was verified for the old one is forgotten. */
async function moveConversation(
  tx: Query,
  tables: GatewayTables,
  row: InboundRow,
  { from, to }: MovedEvent,
): Promise<void> {
  const { conversations } = tables;
  await dropIdentities(tx, tables, { ...row, externalUser: from.address });
  const moved = await conversationOf(tx, tables, row, from.address);
  // If the user already wrote from the new address, both conversations stay as they are.
  const isTaken = (await conversationOf(tx, tables, row, to.address)) !== undefined;
  if (moved === undefined || isTaken) return;
  await tx
    .update(conversations)
    .set({ externalUser: to.address })
    .where(and(eq(conversations.tenantId, row.tenantId), eq(conversations.id, moved.id)))
    .returning({ id: conversations.id });
}

async function noteReachable(
  tx: Query,
  { conversations }: GatewayTables,
  { tenantId, accountId }: InboundRow,
  { address, isReachable }: ReachableEvent,
  now: Date,
): Promise<void> {
  await tx
    .update(conversations)
    .set({ unreachableAt: isReachable ? null : now })
    .where(
      and(
        eq(conversations.tenantId, tenantId),
        eq(conversations.accountId, accountId),
        eq(conversations.externalUser, address.address),
      ),
    )
    .returning({ id: conversations.id });
}
