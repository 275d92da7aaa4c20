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
      hint: "Take another name, or change it as the owner: by the command line, or the console opened with `argosy console`.",
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
