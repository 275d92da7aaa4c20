import type { SealContext, Sealer } from "../../../storage/seal.ts";

/** The text sealed for its place, or as it is where there are no keys to seal with. */
export function sealText(sealer: Sealer | undefined, text: string, context: SealContext): string {
  return sealer === undefined ? text : sealer.seal(text, context);
}

/** The text again; what was written before there were keys is read as it is. */
export function openText(sealer: Sealer | undefined, kept: string, context: SealContext): string {
  return sealer !== undefined && kept.startsWith("v1.") ? sealer.open(kept, context) : kept;
}
