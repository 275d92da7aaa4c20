import type { AwaitedAnswers } from "./awaited-answers.ts";
import type { PausedRuns } from "./paused-runs.ts";
import { findApproval, stillUnderWay } from "./store.ts";

/** Outcomes of a tenant's waiting runs, for channels that still have to send an answer. */
export function awaitedRuns(pausedRuns: PausedRuns, tenant: string): AwaitedAnswers {
  const { storage, vault, endListeners } = pausedRuns;
  return {
    async over(ids: readonly string[]) {
      const underWay = new Set(await stillUnderWay(storage, tenant, ids));
      return ids.filter((id) => !underWay.has(id));
    },
    async outcome(id: string) {
      const row = await findApproval(storage, tenant, id);
      if (row === undefined) return undefined;
      if (row.nextId !== null) {
        const next = await findApproval(storage, tenant, row.nextId);
        const question = next && vault.open("asked", next)?.question;
        return { awaits: row.nextId, ...(question !== undefined && { question }) };
      }
      const outcome = vault.open("outcome", row);
      return outcome !== undefined && "result" in outcome ? { text: outcome.result.response } : undefined;
    },
    onOver(callback: () => void, signal: AbortSignal) {
      endListeners.add(callback);
      signal.addEventListener("abort", () => endListeners.delete(callback), { once: true });
    },
  };
}
