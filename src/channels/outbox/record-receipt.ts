import { and, desc, eq, inArray, isNull, or, sql } from "drizzle-orm";
import { deliveryStatuses } from "../../contracts/gateway/admin.ts";
import type { Clock } from "../../kit/clock.ts";
import type { Random } from "../../kit/retry.ts";
import { partOfToken } from "../sending/outgoing-message.ts";
import type { MessageSender } from "./message-sender.ts";
import type { OutboxBell } from "./outbox-bell.ts";
import { type OutboxInput, reasonOf, step } from "./outbox-step.ts";
import type { OutboxRow, OutboxStorage, OutboxTables } from "./schema.ts";
import { findMessage, type SettlePorts, settleMessages, stateOf } from "./settle-messages.ts";

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

export interface ReceiptPorts extends SettlePorts {
  clock: Clock;
  sender: Pick<MessageSender, "resultOfCode" | "partsOf">;
  bell: OutboxBell;
  random: Random;
}

/** A provider that has accepted a message may fail to deliver it, and may deliver it after all. */
const ranks: readonly string[] = deliveryStatuses;

/** A receipt may meet the worker that claims or settles the same message; each round reads it again. */
const roundsMax = 5;

/**
 * Records a receipt of one of the account's messages, named by its token or by the provider's id. Receipts may come twice and in any order,
 * so the delivery status only rises; it has no part in a failure that leads to another try. Returns the message's id, or undefined for an unknown message.
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
    const applied = await applyReceipt(ports, row, part, receipt);
    if (applied === "late" && round < roundsMax) continue;
    if (applied !== "again") await raiseStatus(ports, row, receipt);
    return row.id;
  }
}

async function findByProvider(
  { read, tables: { outbox } }: OutboxStorage,
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

/**
 * Applies a receipt of call number `part` to the message's state. Returns `again` if it is the provider's answer to a try that must be
 * repeated, and `late` if the message changed in between.
 */
export async function applyReceipt(
  ports: ReceiptPorts,
  row: OutboxRow,
  part: number,
  { status, code = "failed", details, channelMessageId }: MessageReceipt,
): Promise<"applied" | "again" | "late"> {
  const { sender, bell, clock, random } = ports;
  const now = clock.now();
  // An earlier call was recorded before, so this says nothing new about the try.
  if (part < row.partsDone) return "applied";
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
  if (transition.state === before) return "applied";
  const partsDone = input.arrived ? part + 1 : row.partsDone;
  const isAgain = !input.arrived && transition.state.status === "pending";
  const answered = isAgain
    ? { outcome: input.result.action, call: part + 1, error: transition.state.lastError }
    : undefined;
  const settlement = { row, transition, channelMessageId, partsDone, attempt: answered };
  const settled = await settleMessages(ports, [settlement], now);
  bell.ring();
  return settled.length === 0 ? "late" : isAgain ? "again" : "applied";
}

async function raiseStatus(
  { storage, ledger, clock }: ReceiptPorts,
  row: OutboxRow,
  { status, code, details, channelMessageId }: MessageReceipt,
): Promise<void> {
  const { outbox } = storage.tables;
  const { tenantId, id } = row;
  if (!ranks.includes(status)) return;
  await storage.transact(
    async (tx) => {
      const lower = ranks.slice(0, ranks.indexOf(status));
      const isLower = or(isNull(outbox.deliveryStatus), inArray(outbox.deliveryStatus, lower));
      const [raised] = await tx
        .update(outbox)
        .set({
          deliveryStatus: status,
          ...(status === "failed" &&
            code !== undefined && { lastError: reasonOf({ code, message: details }) }),
          // It arrived after all.
          ...(ranks.indexOf(status) > ranks.indexOf("failed") && { lastError: unlessFailed(outbox) }),
        })
        .where(and(eq(outbox.tenantId, tenantId), eq(outbox.id, id), isLower))
        .returning({ status: outbox.status });
      if (raised === undefined) return;
      const error = code === undefined ? undefined : reasonOf({ code, message: details });
      await ledger.reported(
        tx,
        row,
        { status, wasStatus: raised.status, channelMessageId, error },
        clock.now(),
      );
    },
    { isolation: "read committed" },
  );
}

/** The last error, unless it is that of a failed delivery, sent again or not. */
const unlessFailed = ({ deliveryStatus, lastError }: OutboxTables["outbox"]) =>
  sql`case when ${deliveryStatus} is null or ${deliveryStatus} not in ('failed', 'resent') then ${lastError} end`;
