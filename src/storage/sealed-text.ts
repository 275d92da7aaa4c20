import type { SealContext, Sealer } from "./sealing/seal.ts";

/** Seals a text for its context; returns it unchanged if there are no keys. */
export function sealText(sealer: Sealer | undefined, text: string, context: SealContext): string {
  return sealer === undefined ? text : sealer.seal(text, context);
}

/** Opens a sealed text. Text stored before there were keys is returned unchanged. */
export function openText(sealer: Sealer | undefined, kept: string, context: SealContext): string {
  return sealer !== undefined && kept.startsWith("v1.") ? sealer.open(kept, context) : kept;
}
