import { and, asc, eq } from "drizzle-orm";
import { phoneOf, reactionName, shownName } from "../../../channels/inbound/delivered-text.ts";
import type {
  Address,
  InboundMedia,
  MessageEvent,
  ReactionEvent,
  StatusEvent,
} from "../../../channels/inbound/inbound-event.ts";
import type {
  EmulatorFaultInput,
  EmulatorReactionInput,
  EmulatorReceiptInput,
} from "../../../contracts/gateway/admin.ts";
import type { ChannelName } from "../../../contracts/gateway/channels.ts";
import type { EmulatorInboundInput } from "../../../contracts/gateway/emulator.ts";
import { readInstant } from "../../../http/read-instant.ts";
import { AppError } from "../../../kit/app-error.ts";
import { type AccountRow, findExternal } from "../accounts/store.ts";
import { type ReceivePorts, storeEvents } from "../inbound/receive-delivery.ts";
import { requireUserAddress } from "../user-address.ts";
import type { EmulatorRing } from "./emulator-ring.ts";

export interface EmulatorPorts extends ReceivePorts {
  /** External ids of accounts that the settings emulate; the first is the default. */
  emulatedIds: readonly string[];
}

/** What a person writes to an account. */
export interface WrittenMessage {
  from: string;
  text: string;
  contactName?: string | undefined;
  /** Address of the group that they write in. */
  group?: string | undefined;
  /** The provider's id; the same one twice is a repeated delivery. */
  messageId?: string | undefined;
  /** The provider's id of the message that it replies to. */
  replyTo?: string | undefined;
  /** The provider's time. */
  sentAt?: Date | undefined;
  media?: InboundMedia[];
}

/** Delivers a message to an emulated account, as if its provider had. Returns the message's id. Throws 404 for any other account. */
export async function emulateInbound(ports: EmulatorPorts, input: EmulatorInboundInput): Promise<string> {
  const { canal: channel = "phone_messenger", cuenta, desde, texto, nombre, grupo, media = [] } = input;
  const sentAt = readInstant("enviado", input.enviado);
  const account = await emulatedAccount(ports, channel, cuenta);
  return writeTo(ports, account, {
    from: requireUserAddress(channel, desde, "desde"),
    text: texto,
    contactName: shownName(nombre),
    group: grupo === undefined ? undefined : requireUserAddress(channel, grupo, "grupo"),
    messageId: input.channel_message_id,
    replyTo: input.responde_a,
    sentAt,
    media: media.map(({ kind, id, mime_type, file_name }) => ({
      kind,
      ...(id !== undefined && { id }),
      ...(mime_type !== undefined && { mimeType: mime_type }),
      ...(file_name !== undefined && { fileName: file_name }),
    })),
  });
}

/** Stores a message that a person wrote through a route of ours. Throws 503 if the queue is full. */
export async function writeTo(
  ports: ReceivePorts,
  account: AccountRow,
  written: WrittenMessage,
): Promise<string> {
  const { from, text, replyTo, sentAt = ports.clock.now(), media = [] } = written;
  const { messageId = `${account.channel}.${ports.newId()}` } = written;
  const sender: Address = { kind: kindOf(account.channel, from), address: from };
  const senderPhone = account.channel === "phone_messenger" ? phoneOf(from) : undefined;
  const event: MessageEvent = {
    type: "message",
    account: account.externalId,
    dedupeKey: messageId,
    messageId,
    ...placeOf(account.channel, written, sender),
    sender,
    ...(senderPhone !== undefined && { senderPhone }),
    ...(replyTo !== undefined && { replyTo }),
    sentAt,
    isForwarded: false,
    kind: media[0]?.kind ?? "text",
    text,
    media,
  };
  const { isComplete } = await storeEvents(ports, account.channel, [event], "admin-token", [account]);
  if (isComplete) return messageId;
  throw tooBusy();
}

/** Where a person writes: in private, or in a group to the account. */
function placeOf(channel: ChannelName, { contactName, group, from }: WrittenMessage, sender: Address) {
  if (group === undefined) {
    const conversation = { address: sender, key: from, isGroup: false };
    return { conversation, ...(contactName !== undefined && { contactName }) };
  }
  const kind = channel === "phone_messenger" ? "group" : "id";
  const conversation = { address: { kind, address: group } as const, key: group, isGroup: true };
  return { conversation, speaker: contactName ?? from, addresses: { us: true as const } };
}

const tooBusy = () =>
  new AppError("unavailable", "too_busy", "Too many messages wait for an answer; send it again later.", {
    details: { retryAfterSeconds: 60 },
  });

function kindOf(channel: ChannelName, address: string): Address["kind"] {
  if (channel !== "phone_messenger") return "id";
  return /^[A-Z]{2}\./.test(address) ? "bsuid" : "phone";
}

/** Delivers a report about a message that an emulated account sent, as if its provider had. Throws 404 for any other account. */
export async function emulateReceipt(
  ports: EmulatorPorts,
  {
    canal: channel = "phone_messenger",
    cuenta,
    channel_message_id: messageId,
    estado,
    codigo,
  }: EmulatorReceiptInput,
): Promise<void> {
  if (codigo !== undefined && estado !== "failed") {
    throw new AppError("invalid", "invalid_request", "codigo is for estado failed only.");
  }
  const account = await emulatedAccount(ports, channel, cuenta);
  const event: StatusEvent = {
    type: "status",
    account: account.externalId,
    dedupeKey: `${messageId}:${estado}`,
    messageId,
    status: estado,
    at: ports.clock.now(),
    ...(estado === "failed" && {
      error: { code: codigo ?? 131026, details: "The emulated provider could not deliver the message." },
    }),
  };
  const { isComplete } = await storeEvents(ports, account.channel, [event], "admin-token", [account]);
  if (!isComplete) throw tooBusy();
}

/** Delivers a user's reaction to a message that an emulated account sent, or its removal. Throws 404 for any other account. */
export async function emulateReaction(
  ports: EmulatorPorts,
  {
    canal: channel = "phone_messenger",
    cuenta,
    desde,
    channel_message_id: about,
    emoji = "",
    enviado,
  }: EmulatorReactionInput,
): Promise<void> {
  const at = readInstant("enviado", enviado) ?? ports.clock.now();
  const address = requireUserAddress(channel, desde, "desde");
  const account = await emulatedAccount(ports, channel, cuenta);
  const name = reactionName({ emoji }, "emoji");
  const event: ReactionEvent = {
    type: "reaction",
    account: account.externalId,
    dedupeKey: ports.newId(),
    address: { kind: kindOf(channel, address), address },
    about,
    ...(name !== undefined && { emoji: name }),
    at,
  };
  const { isComplete } = await storeEvents(ports, account.channel, [event], "admin-token", [account]);
  if (!isComplete) throw tooBusy();
}

/** Lets messages of an emulated account fail, as if its provider refused them. Throws 404 for any other account. */
export async function emulateFault(
  ports: EmulatorPorts & { emulated: EmulatorRing },
  {
    canal = "phone_messenger",
    cuenta,
    channel_message_id: answersTo,
    fault,
    veces: times = 1,
  }: EmulatorFaultInput,
): Promise<number> {
  const { id: accountId } = await emulatedAccount(ports, canal, cuenta);
  ports.emulated.fail({ accountId, answersTo, fault, times });
  return times;
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
