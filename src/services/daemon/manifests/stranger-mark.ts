import { isTrusted, type Sender } from "../../../manifest/senders/sender.ts";

/**
 * The first line of a manifest that someone other than the machine's owner sent. It is kept in the file itself, so that neither a
 * restart nor a copy of the workspace makes the manifest the operator's own. Only its removal does.
 */
const mark = "# Sent over the API, not by the owner: remove this line to trust it like a file of your own.";

const marks = new RegExp(`^(?:\\ufeff?${mark.replaceAll(".", "\\.")}\\r?(?:\\n|$))+`);

/** Returns the origin of a file's text. */
export const senderOf = (text: string): Sender => (marks.test(text) ? "stranger" : "file");

/** Returns the text to store for its sender: with exactly one mark for a stranger, without marks for a trusted sender. */
export function textFrom(text: string, sender: Sender): string {
  const plain = text.replace(marks, "");
  return isTrusted(sender) ? plain : `${mark}\n${plain.replace(/^\ufeff/, "")}`;
}
