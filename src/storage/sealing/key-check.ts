import { eq } from "drizzle-orm";
import { AppError } from "../../kit/app-error.ts";
import type { Clock } from "../../kit/clock.ts";
import type { Storage } from "../storage.ts";
import type { Sealer } from "./seal.ts";

const context = { purpose: "key-check", tenant: "", name: "" };
const proofText = "argosy";

/**
 * Checks the sealing keys before anything is written: refuses a database whose secrets they cannot open. Then stores a proof of the sealing
 * key, by which the next start is checked.
 */
export async function checkSealingKeys(storage: Storage, sealer: Sealer, clock: Clock): Promise<void> {
  const { sealingKeys } = storage.tables;
  const known = await storage.read.select().from(sealingKeys);
  for (const { kid, proof } of known) requireProof(sealer, kid, proof);
  if (known.some(({ kid }) => kid === sealer.kid)) return;
  const row = { kid: sealer.kid, proof: sealer.seal(proofText, context), addedAt: clock.now() };
  await storage.transact((tx) => tx.insert(sealingKeys).values(row).onConflictDoNothing());
  // If two processes start together with different secrets under one id, the later one is refused.
  const [stored] = await storage.read.select().from(sealingKeys).where(eq(sealingKeys.kid, sealer.kid));
  if (stored) requireProof(sealer, stored.kid, stored.proof);
}

function requireProof(sealer: Sealer, kid: string, proof: string): void {
  try {
    sealer.open(proof, context);
  } catch (cause) {
    throw wrongKey(kid, cause);
  }
}

function wrongKey(kid: string, cause: unknown): AppError {
  const message =
    `The database holds secrets sealed by the key ${kid}, which the configured sealing keys can't open. ` +
    "Add that key to ARGOSY_SEALING_KEYS; nothing was written.";
  return new AppError("unavailable", "sealing_key_wrong", message, { cause });
}
