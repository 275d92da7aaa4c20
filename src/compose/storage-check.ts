import type { ReadinessCheck } from "../contracts/health.ts";
import { toAppError } from "../kit/app-error.ts";
import type { Storage } from "../storage/storage.ts";

/** Checks whether a service's storage accepts writes, for its readiness. */
export async function storageCheck(storage: Storage): Promise<ReadinessCheck> {
  try {
    await storage.check();
    return { name: "storage", ok: true };
  } catch (thrown) {
    return { name: "storage", ok: false, message: toAppError(thrown).message };
  }
}
