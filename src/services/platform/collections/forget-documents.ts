import { and, inArray, isNotNull } from "drizzle-orm";
import { toAppError } from "../../../kit/app-error.ts";
import type { Worker } from "../../../kit/worker.ts";
import { aloneWorker } from "../../../storage/alone.ts";
import { sweepCounted } from "../../../storage/counted-work.ts";
import { isStorageAway } from "../../../storage/until-stored.ts";
import type { PlatformStorage } from "../tables.ts";
import type { CollectionDeps } from "./deps.ts";

const everyMs = 15 * 60_000;

type ForgetDeps = Pick<CollectionDeps, "storage" | "runtime" | "clock" | "log">;

/** Has the runtime delete all documents of a deleted tenant; the sweep comes back to what fails. Returns true when they are gone. */
export async function forgetDocuments(
  { runtime, log }: Pick<ForgetDeps, "runtime" | "log">,
  tenantId: string,
): Promise<boolean> {
  try {
    await runtime.documents.forget(tenantId);
    return true;
  } catch (thrown) {
    log.warn("documents.forget_failed", { tenant: tenantId, code: toAppError(thrown).code });
    return false;
  }
}

interface SweepDeps extends ForgetDeps {
  /** Id of this process. */
  owner: string;
}

/** Has the runtime delete documents of tenants that it could not be told of when they were deleted. */
export const retiredDocuments = (deps: SweepDeps): Worker =>
  aloneWorker("retired-documents", everyMs, deps, (signal) => sweepDocuments(deps, signal));

/**
 * Deletes what the runtime keeps of our deleted tenants, also what arrived while they were deleted; tenants that were never ours are left
 * alone, since others may share the runtime. How many tenants had something.
 */
export async function sweepDocuments(deps: SweepDeps, signal?: AbortSignal): Promise<number> {
  let swept = 0;
  try {
    for (let after: string | undefined; !signal?.aborted; ) {
      const { tenants, next } = await deps.runtime.documents.tenants(after);
      await sweepCounted(deps.storage, await deletedOf(deps.storage, tenants), {
        kind: "retired_documents",
        owner: deps.owner,
        log: deps.log,
        signal,
        keyOf: (tenantId) => tenantId,
        async work(tenantId) {
          if (await forgetDocuments(deps, tenantId)) swept++;
        },
      });
      if (next === undefined) break;
      after = next;
    }
  } catch (thrown) {
    if (isStorageAway(thrown)) throw thrown;
    deps.log.warn("documents.sweep_failed", { code: toAppError(thrown).code });
  }
  return swept;
}

async function deletedOf(
  { read, tables: { tenants } }: PlatformStorage,
  ids: readonly string[],
): Promise<string[]> {
  if (ids.length === 0) return [];
  const rows = await read
    .select({ id: tenants.id })
    .from(tenants)
    .where(and(inArray(tenants.id, [...ids]), isNotNull(tenants.deletedAt)));
  return rows.map(({ id }) => id);
}
