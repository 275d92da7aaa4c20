import type { AwaitedAnswers } from "../../../channels/inbox/awaited-answers.ts";
import type { ApprovalDesk } from "./approval-desk.ts";
import { findApproval, stillUnderWay } from "./store.ts";

/** Outcomes of a tenant's waiting runs, for channels that still have to send an answer. */
export function awaitedRuns(desk: ApprovalDesk, tenant: string): AwaitedAnswers {
  const { storage, vault, overListeners } = desk;
  return {
    async over(ids) {
      const underWay = new Set(await stillUnderWay(storage, tenant, ids));
      return ids.filter((id) => !underWay.has(id));
    },
    async outcome(id) {
      const row = await findApproval(storage, tenant, id);
      if (row === undefined) return undefined;
      if (row.nextId !== null) return { awaits: row.nextId };
      const outcome = vault.open("outcome", row);
      return outcome !== undefined && "result" in outcome ? { text: outcome.result.response } : undefined;
    },
    onOver(callback, signal) {
      overListeners.add(callback);
      signal.addEventListener("abort", () => overListeners.delete(callback), { once: true });
    },
  };
}
