import type { Call } from "../../../http/call.ts";
import { AppError } from "../../../kit/app-error.ts";

/** Throws AppError `owner_only` (forbidden) unless the owner of the machine calls. */
export function requireMachineOwner({ isOwner }: Pick<Call, "isOwner">): void {
  if (isOwner) return;
  throw new AppError("forbidden", "owner_only", "Only the owner of this machine may watch its process.", {
    details: { hint: "Open the console with the link that `argosy console` prints." },
  });
}
