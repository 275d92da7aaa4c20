import type { ConversationMessage } from "../../../contracts/gateway/admin.ts";

/** Messages that the view shows as one: a message, or the files of an album. */
export interface AlbumMessage {
  /** The first one; its text, or that of the album's only caption, is the text. */
  message: ConversationMessage;
  /** The other messages of its album. */
  others: readonly ConversationMessage[];
}

/** Providers send each file of an album as a message of its own, within this time. */
const albumMs = 2000;

/** Joins the messages of a user's albums. Between the files of one album there is no other message, and at most one has a text. */
export function joinAlbums(messages: readonly ConversationMessage[]): AlbumMessage[] {
  const shown: { message: ConversationMessage; others: ConversationMessage[] }[] = [];
  for (const message of messages) {
    const last = shown.at(-1);
    if (last !== undefined && isOfAlbum(message, last)) last.others.push(message);
    else shown.push({ message, others: [] });
  }
  return shown;
}

function isOfAlbum(message: ConversationMessage, { message: first, others }: AlbumMessage): boolean {
  const album = [first, ...others];
  const before = album.at(-1) ?? first;
  return (
    isFile(first) &&
    isFile(message) &&
    Date.parse(message.at) - Date.parse(before.at) <= albumMs &&
    (message.text.trim() === "" || album.every(({ text }) => text.trim() === ""))
  );
}

/** A recorded voice is a message of its own. */
const isFile = ({ direction, media }: ConversationMessage): boolean =>
  direction === "inbound" && media.length > 0 && media.every(({ kind }) => albumKinds.has(kind));

const albumKinds = new Set(["image", "video", "document"]);

/** Returns the text under an album or a message. */
export const textOf = ({ message, others }: AlbumMessage): string =>
  [message, ...others].find(({ text }) => text.trim() !== "")?.text ?? "";
