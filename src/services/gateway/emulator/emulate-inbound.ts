import { and, asc, eq } from "drizzle-orm";
import { phoneOf } from "../../../channels/inbound/delivered-text.ts";
import type { Address, MessageEvent } from "../../../channels/inbound/inbound-event.ts";
import type { ChannelName } from "../../../contracts/gateway/channels.ts";
import type { EmulatorInboundInput } from "../../../contracts/gateway/emulator.ts";
import { readInstant } from "../../../http/read-instant.ts";
import { AppError } from "../../../kit/app-error.ts";
import { type AccountRow, findExternal } from "../accounts/store.ts";
import { type ReceivePorts, storeEvents } from "../inbound/receive-delivery.ts";

export interface EmulatorPorts extends ReceivePorts {
  /** External ids of accounts that the settings emulate; the first is the default. */
  emulatedIds: readonly string[];
}

/** What a person writes to an account. */
export interface WrittenMessage {
  from: string;
  text: string;
  contactName?: string | undefined;
  /** The provider's id; undefined for a new one. */
  messageId?: string | undefined;
  /** The provider's time; undefined for now. */
  sentAt?: Date | undefined;
}

/** Delivers a message to an emulated account, as if its provider had. Returns the message's id. Throws 404 for any other account. */
export async function emulateInbound(ports: EmulatorPorts, input: EmulatorInboundInput): Promise<string> {
  const { canal: channel = "phone_messenger", cuenta, desde, texto, nombre } = input;
  const sentAt = readInstant("enviado", input.enviado);
  const account = await emulatedAccount(ports, channel, cuenta);
  const messageId = input.channel_message_id;
  return writeTo(ports, account, { from: desde, text: texto, contactName: nombre, messageId, sentAt });
}

/** Stores a message that a person wrote through a route of ours. Throws 503 if the queue is full. */
export async function writeTo(
  ports: ReceivePorts,
  account: AccountRow,
  { from, text, contactName, sentAt, messageId = `${account.channel}.${ports.newId()}` }: WrittenMessage,
): Promise<string> {
  const sender: Address = { kind: kindOf(account.channel, from), address: from };
  const senderPhone = account.channel === "phone_messenger" ? phoneOf(from) : undefined;
  const event: MessageEvent = {
    type: "message",
    account: account.externalId,
    dedupeKey: messageId,
    messageId,
    conversation: { address: sender, key: from, isGroup: false },
    sender,
    ...(senderPhone !== undefined && { senderPhone }),
    ...(contactName !== undefined && { contactName }),
    sentAt: sentAt ?? ports.clock.now(),
    isForwarded: false,
    kind: "text",
    text,
    media: [],
  };
  const { isComplete } = await storeEvents(ports, account.channel, [event], "admin-token", [account]);
  if (isComplete) return messageId;
  throw new AppError(
    "unavailable",
    "too_busy",
    "Too many messages wait for an answer; send it again later.",
    {
      details: { retryAfterSeconds: 60 },
    },
  );
}

function kindOf(channel: ChannelName, address: string): Address["kind"] {
  if (channel !== "phone_messenger") return "id";
  return /^[A-Z]{2}\./.test(address) ? "bsuid" : "phone";
}

async function emulatedAccount(
  { storage, emulatedIds }: EmulatorPorts,
  channel: ChannelName,
  externalId: string | undefined = emulatedIds[0],
): Promise<AccountRow> {
  const { read, tables } = storage;
  const account =
    externalId === undefined
      ? await oldestEmulated({ storage }, channel)
      : await findExternal(read, tables, channel, externalId);
  if (account !== undefined && (account.emulated || emulatedIds.includes(account.externalId))) return account;
  const name = externalId === undefined ? "" : ` ${externalId}`;
  throw new AppError("not_found", "not_found", `There is no emulated account${name} on ${channel}.`);
}

async function oldestEmulated(
  { storage: { read, tables } }: Pick<ReceivePorts, "storage">,
  channel: ChannelName,
): Promise<AccountRow | undefined> {
  const { accounts } = tables;
  const [row] = await read
    .select()
    .from(accounts)
    .where(and(eq(accounts.channel, channel), eq(accounts.emulated, true)))
    .orderBy(asc(accounts.createdAt), asc(accounts.id))
    .limit(1);
  return row;
}
