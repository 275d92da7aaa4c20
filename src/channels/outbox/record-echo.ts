import { and, asc, eq, inArray } from "drizzle-orm";
import { applyReceipt, type ReceiptPorts, recordReceipt } from "./record-receipt.ts";
import type { OutboxRow } from "./schema.ts";
import { laneOf } from "./settle-messages.ts";

/** A message of our account, as the provider shows it to us. */
export interface MessageEcho {
  recipient: string;
  text: string;
  hasMedia: boolean;
  channelMessageId: string;
}

/**
 * Takes an echo as proof that the provider accepted a message, if it is one of the account's outbox. The echo has no token, so an open
 * message is recognized by its recipient and content. Returns the message's id, or undefined if another program or person wrote it.
 */
export async function recordEcho(
  ports: ReceiptPorts,
  account: { id: string; tenantId: string },
  echo: MessageEcho,
): Promise<string | undefined> {
  const { channelMessageId } = echo;
  const receipt = { status: "sent", channelMessageId };
  const known = await recordReceipt(ports, account.id, receipt);
  if (known !== undefined) return known;
  const row = (await openMessages(ports, account, echo.recipient)).find((one) => isEchoed(ports, one, echo));
  if (row === undefined) return undefined;
  await applyReceipt(ports, row, row.partsDone, receipt);
  return row.id;
}

/** Messages to the recipient that the provider may have, in the order in which they were sent. */
async function openMessages(
  { storage: { read, tables } }: ReceiptPorts,
  account: { id: string; tenantId: string },
  recipient: string,
): Promise<OutboxRow[]> {
  const { outbox } = tables;
  const rows = await read
    .select()
    .from(outbox)
    .where(
      and(
        eq(outbox.tenantId, account.tenantId),
        eq(outbox.lane, laneOf({ accountId: account.id, recipient, source: "agent_reply" })),
        inArray(outbox.status, ["sending", "pending"]),
      ),
    )
    .orderBy(asc(outbox.id));
  return rows.filter(({ status, isUnsettled }) => status === "sending" || isUnsettled);
}

function isEchoed({ sender }: ReceiptPorts, row: OutboxRow, echo: MessageEcho): boolean {
  const message = { ...row.payload, token: row.id, recipient: row.recipient };
  const part = sender.partsOf(row.channel, message)[row.partsDone];
  return part !== undefined && part.hasMedia === echo.hasMedia && (part.text ?? "") === echo.text;
}
