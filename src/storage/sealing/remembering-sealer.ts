import { LatestMap } from "../../kit/latest-map.ts";
import type { SealContext, Sealer } from "./seal.ts";

/** Opened secrets that are kept at a time. */
const keptMax = 256;

/** Returns a sealer that keeps the secrets it opened last, because secrets that each run needs are opened again and again. */
export function rememberingSealer(sealer: Sealer): Sealer {
  /** By sealed text and context, the one opened longest ago first. */
  const openedSecrets = new LatestMap<string, string>(keptMax);
  return {
    ...sealer,
    open(sealed: string, context: SealContext) {
      const key = JSON.stringify([sealed, context.purpose, context.tenant, context.name]);
      const secret = openedSecrets.get(key) ?? sealer.open(sealed, context);
      openedSecrets.set(key, secret);
      return secret;
    },
  };
}
