import { AppError } from "../../../kit/app-error.ts";
import { isTrusted, type Sender } from "../../../manifest/sender.ts";

/**
 * Refuses with `owner_only` (403) where someone other than the machine's owner would take the place of what the owner made, and
 * with it the calls, documents and conversations that are meant for that.
 */
export function requireOwner(what: string, made: Sender, sender: Sender): void {
  if (!isTrusted(made) || isTrusted(sender)) return;
  throw new AppError("forbidden", "owner_only", `${what} belongs to this machine's owner.`, {
    details: {
      hint: "Take another name, or change it as the owner: by the command line, or the console opened with `argosy console`.",
    },
  });
}

/** Sources in the order in which they have a right to a name: the owner's before those of strangers. */
export function ownersFirst<Source extends { sender: Sender }>(sources: readonly Source[]): Source[] {
  return [
    ...sources.filter(({ sender }) => isTrusted(sender)),
    ...sources.filter(({ sender }) => !isTrusted(sender)),
  ];
}
