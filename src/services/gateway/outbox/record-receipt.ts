import { and, asc, eq, inArray } from "drizzle-orm";
import type { Clock } from "../../../kit/clock.ts";
import type { Random } from "../../../kit/retry.ts";
import type { GatewayStorage } from "../tables.ts";
import type { OutboxRow } from "./claim-messages.ts";
import type { MessageSender } from "./message-sender.ts";
import { type OutboxInput, step } from "./outbox-step.ts";
import { findMessage, laneOf, settleMessages, stateOf } from "./settle-messages.ts";

/** What a provider tells of a message after it accepted it. */
export interface MessageReceipt {
  /** Our message's id, as the provider returns it. */
  token: string;
  /** The provider's word: sent, delivered, read, played, failed. */
  status: string;
  /** The provider's error code, with the status `failed`. */
  code?: string | undefined;
  channelMessageId?: string | undefined;
}

export interface ReceiptPorts {
  storage: GatewayStorage;
  sender: Pick<MessageSender, "resultOfCode">;
  clock: Clock;
  random: Random;
}

const ranks = ["failed", "sent", "delivered", "read", "played"];

/** A receipt may meet the worker that claims or settles the same message; each round reads it again. */
const roundsMax = 5;

/**
 * Records a receipt of one of the account's messages. Receipts may come twice and in any order, so the delivery status only rises. Returns
 * false for an unknown message.
 */
export async function recordReceipt(
  ports: ReceiptPorts,
  accountId: string,
  receipt: MessageReceipt,
): Promise<boolean> {
  for (let round = 1; ; round++) {
    const row = await findMessage(ports.storage, receipt.token);
    if (row === undefined || row.accountId !== accountId) return false;
    if ((await applyReceipt(ports, row, receipt)) || round === roundsMax) {
      await raiseStatus(ports.storage, row, receipt);
      return true;
    }
  }
}

/** Finds a message of an account by the provider's id of it. */
export async function findSent(
  { read, tables: { outbox } }: GatewayStorage,
  { tenantId, accountId }: Pick<OutboxRow, "tenantId" | "accountId">,
  channelMessageId: string,
): Promise<OutboxRow | undefined> {
  const [row] = await read
    .select()
    .from(outbox)
    .where(
      and(
        eq(outbox.tenantId, tenantId),
        eq(outbox.accountId, accountId),
        eq(outbox.channelMessageId, channelMessageId),
      ),
    );
  return row;
}

/** Messages to a recipient whose outcome is open, oldest first: an echo may tell it. */
export function findOpenTo(
  { read, tables: { outbox } }: GatewayStorage,
  { tenantId, accountId, recipient }: Pick<OutboxRow, "tenantId" | "accountId" | "recipient">,
): Promise<OutboxRow[]> {
  return read
    .select()
    .from(outbox)
    .where(
      and(
        eq(outbox.tenantId, tenantId),
        eq(outbox.lane, laneOf({ accountId, recipient, source: "agent_reply" })),
        inArray(outbox.status, ["pending", "sending"]),
      ),
    )
    .orderBy(asc(outbox.id))
    .limit(20);
}

/** Returns false if the message changed in between. */
async function applyReceipt(
  { storage, sender, clock, random }: ReceiptPorts,
  row: OutboxRow,
  { status, code = "failed", channelMessageId }: MessageReceipt,
): Promise<boolean> {
  const now = clock.now();
  const input: OutboxInput =
    status === "failed"
      ? {
          type: "receipt",
          arrived: false,
          result: sender.resultOfCode(row.channel, code),
          spread: random(),
        }
      : { type: "receipt", arrived: true };
  const before = stateOf(row);
  const transition = step(before, input, now);
  if (transition.state === before) return true;
  const settled = await settleMessages(storage, [{ row, transition, channelMessageId }], now);
  return settled.length > 0;
}

async function raiseStatus(
  storage: GatewayStorage,
  { tenantId, id }: OutboxRow,
  { status, code }: MessageReceipt,
): Promise<void> {
  const { outbox } = storage.tables;
  await storage.transact(async (tx) => {
    const isRow = and(eq(outbox.tenantId, tenantId), eq(outbox.id, id));
    const [now] = await tx.select({ deliveryStatus: outbox.deliveryStatus }).from(outbox).where(isRow);
    if (now === undefined || rankOf(status) <= rankOf(now.deliveryStatus)) return;
    await tx
      .update(outbox)
      .set({
        deliveryStatus: status,
        ...(status === "failed" && code !== undefined && { lastError: code }),
      })
      .where(isRow)
      .returning({ id: outbox.id });
  });
}

const rankOf = (status: string | null): number => (status === null ? -1 : ranks.indexOf(status));
