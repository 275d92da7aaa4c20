import { AppError } from "../../../kit/app-error.ts";
import { isTrusted, type Sender } from "../../../manifest/senders/sender.ts";

/**
 * Throws `owner_only` (403) if someone other than the machine's owner tries to replace something that the owner made. A replacement would
 * receive the calls, documents and conversations meant for the original.
 */
export function requireOwner(what: string, made: Sender, sender: Sender): void {
  if (!isTrusted(made) || isTrusted(sender)) return;
  throw new AppError("forbidden", "owner_only", `${what} belongs to this machine's owner.`, {
    details: {
      hint: "Choose another name, or change it as the owner: with the command line, or in the console opened with `argosy console`.",
    },
  });
}

/** Sources in order of their right to a name: the owner's before those of other senders. */
export function ownersFirst<Source extends { sender: Sender }>(sources: readonly Source[]): Source[] {
  return [
    ...sources.filter(({ sender }) => isTrusted(sender)),
    ...sources.filter(({ sender }) => !isTrusted(sender)),
  ];
}

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
