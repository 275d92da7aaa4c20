import type { SenderOf } from "../../channels/outbox/channel-senders.ts";
import { LatestMap } from "../../kit/latest-map.ts";
import { openAccount } from "../../services/gateway/accounts/credentials.ts";
import type { AccountNames } from "../../services/gateway/processing/addressed-account.ts";
import type { Sealer } from "../../storage/sealing/seal.ts";

/** Accounts whose names are in memory. */
const keptMax = 1_000;

/** Asks each provider once for the name of an account. What it doesn't tell is asked for again. */
export function createAccountNames(senderOf: SenderOf, sealer: Sealer | undefined): AccountNames {
  const known = new LatestMap<string, string>(keptMax);
  return {
    async nameOf(row) {
      const knownName = known.get(row.id);
      if (knownName !== undefined || row.pausedReason !== null) return knownName;
      const name = await senderOf(openAccount(sealer, row))?.ownName?.();
      if (name !== undefined) known.set(row.id, name);
      return name;
    },
  };
}
