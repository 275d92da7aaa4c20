import { storable } from "../../../channels/inbound/delivered-text.ts";
import type { EventProof } from "../../../channels/inbox/event-row.ts";
import type { VisitorMessage } from "../../../contracts/gateway/webchat.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { Query } from "../../../storage/storage.ts";
import type { GatewayStoreDeps } from "../tables.ts";
import { bellKey, type ThreadBell } from "./thread-bell.ts";
import {
  appendMessage,
  findByRef,
  lockThread,
  type ThreadKey,
  type ThreadMessageRow,
} from "./thread-store.ts";

/** Message of a visitor for the agent of its account. */
export interface InboundChat extends ThreadKey {
  /** External id of the account. */
  account: string;
  /** Id of the message in its thread. */
  messageId: string;
  text: string;
  at: Date;
  proof: EventProof;
}

/** Rating of an answer by the visitor of its thread. */
export interface InboundRating extends ThreadKey {
  /** External id of the account. */
  account: string;
  /** Id of the answer. */
  messageId: string;
  /** Undefined if the rating is withdrawn. */
  emoji: string | undefined;
  /** Later than the visitor's rating of this answer before. */
  at: Date;
  proof: EventProof;
}

/** Takes visitors' messages and ratings to where inbound messages of all channels wait for their agent. */
export interface VisitorInbox {
  /**
   * Stores the message within the caller's transaction, so that the thread and the inbox have both or none. Throws `too_busy` (503) if
   * there is no room, for all or for this account.
   */
  accept(tx: Query, message: InboundChat): Promise<void>;
  /** The same for a rating. */
  acceptRating(tx: Query, rating: InboundRating): Promise<void>;
  /** Wakes the processing, after the commit. */
  ring(): void;
}

export interface ChatReceivePorts extends GatewayStoreDeps {
  inbox: VisitorInbox;
  bell: ThreadBell;
}

/** Visitor who writes, and how the gateway knows them. */
export interface ChatWriter {
  visitor: string;
  proof: EventProof;
}

/** The account that a message is for. */
export type ChatAccount = Pick<ThreadKey, "tenantId" | "accountId"> & { account: string };

/**
 * Stores a visitor's message in its thread and in the inbox. A repeated `ref` returns the message that was accepted first. Throws 409 if
 * that one has another text, and 503 if the inbox is full.
 */
export async function receiveMessage(
  { storage, clock, newId, inbox, bell }: ChatReceivePorts,
  { tenantId, accountId, account }: ChatAccount,
  { visitor, proof }: ChatWriter,
  { texto, ref }: VisitorMessage,
): Promise<ThreadMessageRow> {
  const key = { tenantId, accountId, visitor };
  const text = storable(texto);
  const store = async (tx: Query) => {
    const now = clock.now();
    const thread = await lockThread(tx, storage.tables, key, { now, newId });
    const known = ref === undefined ? undefined : await findByRef(tx, storage.tables, thread, ref);
    if (known !== undefined) return { row: known, isNew: false };
    const message = { id: newId(), side: "visitante" as const, text, media: [], ref: ref ?? null };
    const row = await appendMessage(tx, storage.tables, thread, message, now);
    await inbox.accept(tx, { ...key, account, messageId: row.id, text, at: row.at, proof });
    return { row, isNew: true };
  };
  const { row, isNew } = await storage.transact(store, { isolation: "read committed" });
  if (row.text !== text) {
    throw new AppError("conflict", "ref_reused", `The ref ${ref} belongs to another message of this thread.`);
  }
  if (isNew) {
    inbox.ring();
    bell.ring(bellKey(key));
  }
  return row;
}
