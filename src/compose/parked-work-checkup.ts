import type { DoctorCheckup } from "../services/daemon/system/doctor.ts";
import { interruptionsMax, parkedWork, type WorkKind } from "../storage/begun-work.ts";
import type { Storage } from "../storage/storage.ts";

const namedMax = 5;
const readMax = 100;

/** Names of work, and how a person retries it. */
const kinds: Record<WorkKind, { name: string; mend: string }> = {
  eval_run: { name: "eval run", mend: "Its owner orders a run again." },
  reconcile: { name: "reconcile", mend: "Reconcile or delete the spec again." },
  memory_writes: { name: "memory text", mend: "Re-index the agent's memory." },
};

/** The doctor's check for work that was parked because processes died with it. */
export function parkedWorkCheckup(storages: () => readonly Storage[]): DoctorCheckup {
  return {
    name: "interrupted work",
    async look() {
      const parked = (await Promise.all(storages().map((storage) => parkedWork(storage, readMax)))).flat();
      if (parked.length === 0) return { status: "healthy", message: "No work is parked." };
      const named = parked.slice(0, namedMax).map(({ kind, key }) => `${kinds[kind].name} ${key}`);
      const more = parked.length > namedMax ? ` and ${parked.length - namedMax} more` : "";
      return {
        status: "degraded",
        message: `Argosy ended ${interruptionsMax} times during work that it takes up no more: ${named.join(", ")}${more}.`,
        mend: [...new Set(parked.map(({ kind }) => kinds[kind].mend))].join(" "),
      };
    },
  };
}
