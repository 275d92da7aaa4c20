import type { RawDelivery } from "../../../channels/channel.ts";
import type { InboundEvent } from "../../../channels/inbound/inbound-event.ts";
import { firstOfEach } from "../../../channels/inbox/admit-new.ts";
import { type EventProof, inboundRow, isKept } from "../../../channels/inbox/event-row.ts";
import type { InboundMetrics } from "../../../channels/inbox/inbound-metrics.ts";
import { keepEvents } from "../../../channels/inbox/keep-events.ts";
import type { OutboxBell } from "../../../channels/outbox/outbox-bell.ts";
import type { ChannelName } from "../../../contracts/gateway/channels.ts";
import { AppError } from "../../../kit/app-error.ts";
import { countSteps, inPieces, othersTurn } from "../../../kit/concurrency/others-turn.ts";
import { type AccountRow, findExternals, findOnlyAccount } from "../accounts/store.ts";
import type { Change, EventFeed } from "../events/event-feed.ts";
import type { StorageRoom } from "../room/storage-room.ts";
import type { GatewayStoreDeps } from "../tables.ts";
import { noteDelivered } from "../trail/note-inbound.ts";
import type { InboundRoom } from "./inbound-room.ts";
import type { InboundRow } from "./schema.ts";
import { getWebhook, mayBeSignedWith, type WebhookPorts } from "./webhook-secrets.ts";

export interface ReceivePorts extends GatewayStoreDeps, WebhookPorts {
  /** Bounds the events that wait for their processing. */
  inboundRoom: InboundRoom;
  /** Bounds what is kept for a tenant. */
  storageRoom: StorageRoom;
  inboundBell: OutboxBell;
  inboundMetrics: InboundMetrics;
  feed: EventFeed;
}

/** Messages of a delivery that are stored, those of earlier deliveries included, and all of them. */
export interface Receipt {
  queued: number;
  total: number;
  /** True if everything is stored: the provider must not deliver it again. */
  isComplete: boolean;
}

/**
 * Checks and stores a delivery. Throws 404 for a channel that is not registered, 401 for a wrong signature, and 400 for a body that is no
 * delivery. Unknown accounts, fields and kinds are counted and ignored, and so are events of accounts whose own app didn't sign.
 */
export async function receiveDelivery(
  ports: ReceivePorts,
  name: string,
  delivery: RawDelivery,
): Promise<Receipt> {
  const { storage, inboundMetrics } = ports;
  const { channel, webhook, account, secret } = await getWebhook(ports, name, delivery.account);
  if (!webhook.isGenuine(delivery, secret)) {
    inboundMetrics.delivered(channel, "forged");
    throw new AppError("unauthorized", "signature_invalid", "The delivery's signature is not valid.");
  }
  let named = delivery.account;
  if (named === undefined && !webhook.namesAccount) {
    named = (await findOnlyAccount(storage.read, storage.tables, channel))?.externalId;
    if (named === undefined) throw accountNeeded(channel);
  }
  const reading = await inPieces(webhook.read(delivery.body, named ?? ""));
  if ("unreadable" in reading) {
    inboundMetrics.delivered(channel, "unreadable");
    throw new AppError("invalid", "invalid_request", `The body is not a delivery: ${reading.unreadable}`);
  }
  // An account's own address, and its own secret, speak for that account alone.
  const foreign = reading.events.filter((event) => named !== undefined && event.account !== named);
  inboundMetrics.ignored(channel, "unknown_account", foreign.length);
  const events = reading.events.filter((event) => named === undefined || event.account === named);
  if (account !== undefined) return storeEvents(ports, channel, events, webhook.proof, [account]);
  const accounts = await accountsOf(ports, channel, events);
  const others = new Set(
    accounts
      .filter((one) => !mayBeSignedWith(ports.sealer, one, secret))
      .map(({ externalId }): string | undefined => externalId),
  );
  const own = others.size === 0 ? events : events.filter((event) => !others.has(event.account));
  inboundMetrics.ignored(channel, "other_app", events.length - own.length);
  return storeEvents(ports, channel, own, webhook.proof, accounts);
}

/** Building a row takes up to 10 µs. */
const stepsOfRow = 1000;

/** Stores the events of a delivery whose sender is known to be genuine. */
export async function storeEvents(
  ports: ReceivePorts,
  channel: ChannelName,
  events: readonly InboundEvent[],
  proof: EventProof,
  known?: readonly AccountRow[],
): Promise<Receipt> {
  const { storage, clock, newId, inboundRoom, inboundBell, inboundMetrics } = ports;
  const accounts = known ?? (await accountsOf(ports, channel, events));
  const byExternal = new Map(accounts.map((account) => [account.externalId, account]));
  const now = clock.now();
  const rows: InboundRow[] = [];
  const shut = await shutTenants(ports, accounts);
  for (const event of events) {
    const account = event.account === undefined ? undefined : byExternal.get(event.account);
    if (event.type === "ignored") inboundMetrics.ignored(channel, event.reason);
    else if (account === undefined) inboundMetrics.ignored(channel, "unknown_account");
    if (account !== undefined && isKept(event)) {
      if (shut.has(account.tenantId)) inboundMetrics.ignored(channel, "storage_full");
      else rows.push(inboundRow(event, account, { proof, now }, newId));
    }
    if (countSteps(stepsOfRow)) await othersTurn();
  }
  const keyOf = ({ accountId, dedupeKey }: InboundRow) => `${accountId}:${dedupeKey}`;
  const distinct = firstOfEach(rows, keyOf);
  const { known: seen, added } =
    distinct.length === 0
      ? { known: new Set<string>(), added: new Set<string>() }
      : await keepEvents(storage, distinct, inboundRoom);
  const isStored = (row: InboundRow) => added.has(row.id) || seen.has(keyOf(row));
  const stored = new Set(distinct.filter(isStored).map(keyOf));
  const messages = rows.filter(({ kind }) => kind === "message");
  const isComplete = stored.size === distinct.length;
  inboundMetrics.delivered(channel, isComplete ? "accepted" : "full");
  inboundMetrics.stored(channel, added.size, rows.length - added.size - (distinct.length - stored.size));
  if (added.size > 0) inboundBell.ring();
  const fresh = messages.filter(({ id }) => added.has(id));
  ports.feed.publish(...fresh.map((row) => changeOf(row, "received")));
  const repeated = await noteDelivered(ports, {
    repeated: messages.filter((row) => stored.has(keyOf(row)) && !added.has(row.id)),
    closed: fresh.filter(({ state }) => state === "done"),
  });
  ports.feed.publish(...repeated.map((row) => changeOf(row, "duplicate")));
  return {
    queued: messages.filter((row) => stored.has(keyOf(row))).length,
    total: messages.length,
    isComplete,
  };
}

/** Tenants that may store no more events. The provider must not repeat theirs, so they are counted and dropped. */
async function shutTenants(
  { storage: { read }, storageRoom }: ReceivePorts,
  accounts: readonly AccountRow[],
): Promise<Set<string>> {
  const shut = new Set<string>();
  for (const tenant of new Set(accounts.map(({ tenantId }) => tenantId)))
    if (await storageRoom.isShut(read, tenant)) shut.add(tenant);
  return shut;
}

/** A change of a delivered message, for open pages. */
export const changeOf = (
  { id, tenantId, accountId, channel, conversationId }: InboundRow,
  change: "received" | "duplicate" | "running" | "closed",
): Change => ({
  about: "inbound",
  change,
  tenant_id: tenantId,
  account_id: accountId,
  channel,
  message_id: id,
  ...(conversationId !== null && { conversation_id: conversationId }),
});

function accountsOf(
  { storage: { read, tables } }: ReceivePorts,
  channel: ChannelName,
  events: readonly InboundEvent[],
): Promise<AccountRow[]> {
  const ids = new Set(events.flatMap(({ account }) => account ?? []));
  return findExternals(read, tables, channel, [...ids]);
}

const accountNeeded = (channel: ChannelName) =>
  new AppError(
    "invalid",
    "invalid_request",
    `The address names no account, and there is not exactly one on ${channel}.`,
    { details: { hint: `Deliver to /webhooks/${channel}/<external id of the account>.` } },
  );
