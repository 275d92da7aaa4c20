import { and, desc, eq, inArray, isNull, or } from "drizzle-orm";
import { partOfToken } from "../../../channels/sending/outgoing-message.ts";
import { trailEventNames } from "../../../contracts/gateway/trail.ts";
import type { Clock } from "../../../kit/clock.ts";
import type { NewId } from "../../../kit/id.ts";
import type { Random } from "../../../kit/retry.ts";
import type { GatewayStorage } from "../tables.ts";
import { appendTrail } from "../trail/append-trail.ts";
import type { OutboxRow } from "./claim-messages.ts";
import type { MessageSender } from "./message-sender.ts";
import type { OutboxBell } from "./outbox-bell.ts";
import { type OutboxInput, reasonOf, step } from "./outbox-step.ts";
import { findMessage, settleMessages, stateOf } from "./settle-messages.ts";

/** Report of a provider about a message after it accepted it. */
export interface MessageReceipt {
  /** The token of the call, as the provider returns it; undefined if it returns none. */
  token?: string | undefined;
  /** The provider's word: sent, delivered, read, played, failed. */
  status: string;
  /** The provider's error code and text, with the status `failed`. */
  code?: string | undefined;
  details?: string | undefined;
  channelMessageId?: string | undefined;
}

export interface ReceiptPorts {
  storage: GatewayStorage;
  sender: Pick<MessageSender, "resultOfCode" | "partsOf">;
  bell: OutboxBell;
  clock: Clock;
  newId: NewId;
  random: Random;
}

const ranks = ["failed", "sent", "delivered", "read", "played"];

/** A receipt may meet the worker that claims or settles the same message; each round reads it again. */
const roundsMax = 5;

/**
 * Records a receipt of one of the account's messages, named by its token or by the provider's id. Receipts may come twice and in any order,
 * so the delivery status only rises. Returns the message's id, or undefined for an unknown message.
 */
export async function recordReceipt(
  ports: ReceiptPorts,
  accountId: string,
  receipt: MessageReceipt,
): Promise<string | undefined> {
  const named = receipt.token === undefined ? undefined : partOfToken(receipt.token);
  for (let round = 1; ; round++) {
    const row =
      named === undefined
        ? await findByProvider(ports.storage, accountId, receipt.channelMessageId)
        : await findMessage(ports.storage, named.token);
    if (row === undefined || row.accountId !== accountId) return undefined;
    // Without a token, it is about the last call that was accepted.
    const part = named?.index ?? Math.max(0, row.partsDone - 1);
    if ((await applyReceipt(ports, row, part, receipt)) || round === roundsMax) {
      await raiseStatus(ports, row, receipt);
      return row.id;
    }
  }
}

async function findByProvider(
  { read, tables: { outbox } }: GatewayStorage,
  accountId: string,
  id: string | undefined,
): Promise<OutboxRow | undefined> {
  if (id === undefined) return undefined;
  const [row] = await read
    .select()
    .from(outbox)
    .where(and(eq(outbox.channelMessageId, id), eq(outbox.accountId, accountId)))
    .orderBy(desc(outbox.id))
    .limit(1);
  return row;
}

/** Applies a receipt of call number `part` to the message's state. Returns false if the message changed in between. */
export async function applyReceipt(
  { storage, sender, bell, clock, random }: ReceiptPorts,
  row: OutboxRow,
  part: number,
  { status, code = "failed", details, channelMessageId }: MessageReceipt,
): Promise<boolean> {
  const now = clock.now();
  // An earlier call was recorded before, so this says nothing new about the try.
  if (part < row.partsDone) return true;
  const message = { ...row.payload, token: row.id, recipient: row.recipient };
  const input: OutboxInput =
    status === "failed"
      ? {
          type: "receipt",
          arrived: false,
          result: sender.resultOfCode(row.channel, code, details),
          spread: random(),
        }
      : { type: "receipt", arrived: true, isLast: part + 1 >= sender.partsOf(row.channel, message).length };
  const before = stateOf(row);
  const transition = step(before, input, now);
  if (transition.state === before) return true;
  const partsDone = input.arrived ? part + 1 : row.partsDone;
  const settled = await settleMessages(storage, [{ row, transition, channelMessageId, partsDone }], now);
  bell.ring();
  return settled.length > 0;
}

async function raiseStatus(
  { storage, clock, newId }: ReceiptPorts,
  { tenantId, id, accountId, channel }: OutboxRow,
  { status, code, details, channelMessageId }: MessageReceipt,
): Promise<void> {
  const { outbox } = storage.tables;
  if (!ranks.includes(status)) return;
  await storage.transact(
    async (tx) => {
      const lower = ranks.slice(0, ranks.indexOf(status));
      const isLower = or(isNull(outbox.deliveryStatus), inArray(outbox.deliveryStatus, lower));
      const raised = await tx
        .update(outbox)
        .set({
          deliveryStatus: status,
          ...(status === "failed" &&
            code !== undefined && { lastError: reasonOf({ code, message: details }) }),
        })
        .where(and(eq(outbox.tenantId, tenantId), eq(outbox.id, id), isLower))
        .returning({ id: outbox.id });
      if (raised.length === 0) return;
      const event = trailEventNames.find((name) => name === status);
      // The row itself tells when it was sent.
      if (event === undefined || event === "sent") return;
      await appendTrail(tx, storage.tables, newId, [
        {
          messageId: id,
          tenantId,
          accountId,
          channel,
          direction: "outbound",
          event,
          channelMessageId,
          ...(code !== undefined && { details: { error: reasonOf({ code, message: details }) } }),
          at: clock.now(),
        },
      ]);
    },
    { isolation: "read committed" },
  );
}
