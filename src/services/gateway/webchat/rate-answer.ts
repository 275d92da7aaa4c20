import type { VisitorRating } from "../../../contracts/gateway/webchat.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { Query } from "../../../storage/storage.ts";
import { findReaction, saveReaction } from "../reactions/store.ts";
import type { ChatAccount, ChatReceivePorts, ChatWriter } from "./receive-message.ts";
import { findShown, lockThread, type ShownMessage } from "./thread-store.ts";

const emojis = { up: "👍", down: "👎" } as const;

/**
 * Stores a visitor's rating of an answer in the own thread, or its withdrawal, and hands it to the inbox as a reaction. A repeated rating
 * changes nothing. Throws 404 for a message of no thread of the visitor, 409 for one that no run wrote, and 503 if the inbox is full.
 */
export async function rateAnswer(
  { storage, clock, newId, inbox }: ChatReceivePorts,
  { tenantId, accountId, account }: ChatAccount,
  { visitor, proof }: ChatWriter,
  { mensaje: id, calificacion: rating }: VisitorRating,
): Promise<ShownMessage> {
  const { read, tables } = storage;
  const key = { tenantId, accountId, visitor };
  // Before the lock, which would begin a thread.
  await getAnswer(() => findShown(read, tables, key, id));
  const store = async (tx: Query) => {
    const now = clock.now();
    // Ratings of one visitor are stored one after the other.
    await lockThread(tx, tables, key, { now, newId });
    const { message, invocationId } = await getAnswer(() => findShown(tx, tables, key, id));
    if (message.rating === rating) return { message, isNew: false };
    const address = { kind: "id" as const, address: visitor };
    const before = await findReaction(tx, tables, { tenantId, messageId: id, about: id, address: visitor });
    const at = before === undefined || before.at < now ? now : new Date(before.at.getTime() + 1);
    const emoji = rating === null ? undefined : emojis[rating];
    await saveReaction(
      tx,
      tables,
      { tenantId, accountId },
      { id, invocationId },
      { about: id, address, ...(emoji !== undefined && { emoji }), at },
    );
    await inbox.acceptRating(tx, { ...key, account, messageId: id, emoji, at, proof });
    return { message: { ...message, rating }, isNew: true };
  };
  const { message, isNew } = await storage.transact(store, { isolation: "read committed" });
  if (isNew) inbox.ring();
  return message;
}

async function getAnswer(
  find: () => Promise<ShownMessage | undefined>,
): Promise<{ message: ShownMessage; invocationId: string }> {
  const message = await find();
  if (message === undefined)
    throw new AppError("not_found", "message_not_found", "The thread has no such message.");
  const { invocationId } = message;
  if (invocationId === null)
    throw new AppError(
      "conflict",
      "not_an_answer",
      "Only an agent's answers of the last 90 days can be rated.",
    );
  return { message, invocationId };
}
