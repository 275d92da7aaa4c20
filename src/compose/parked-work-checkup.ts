import { AppError } from "../kit/app-error.ts";
import type { DoctorCheckup, RetryParked } from "../services/daemon/system/doctor.ts";
import { interruptionsMax, parkedWork, retryWork, type WorkKind, workKinds } from "../storage/begun-work.ts";
import type { Storage } from "../storage/storage.ts";

const namedMax = 5;
const readMax = 100;

const retryIt = "When the cause is fixed, retry it: `argosy doctor --retry <kind> <key>`.";

/** Names of work, and how a person retries it. */
const kinds: Record<WorkKind, { name: string; mend: string }> = {
  run: { name: "run of an agent", mend: "Its caller asks again with another Idempotency-Key." },
  eval_run: { name: "eval run", mend: "Its owner orders a run again." },
  reconcile: { name: "reconcile", mend: "Reconcile or delete the spec again." },
  memory_writes: { name: "memory text", mend: "Re-index the agent's memory." },
  memory_cleanup: { name: "memory of a deleted agent", mend: retryIt },
  conversation_cleanup: { name: "conversations of a deleted agent", mend: retryIt },
  document_cleanup: { name: "removal of documents", mend: retryIt },
  period_closing: { name: "closing of a period", mend: retryIt },
  retired_agent: { name: "deleted agent", mend: retryIt },
  retired_documents: { name: "documents of a deleted tenant", mend: retryIt },
  forgotten_contact: { name: "forgotten contact", mend: retryIt },
  deployed_agent: { name: "deployed agent", mend: `Deploy another version of it. ${retryIt}` },
};

/** The doctor's check for work that was parked because processes died with it. */
export function parkedWorkCheckup(storages: () => readonly Storage[]): DoctorCheckup {
  return {
    name: "interrupted work",
    async look() {
      const parked = (await Promise.all(storages().map((storage) => parkedWork(storage, readMax)))).flat();
      if (parked.length === 0) return { status: "healthy", message: "No work is parked." };
      const named = parked.slice(0, namedMax).map(({ kind, key }) => `${kinds[kind].name} (${kind} ${key})`);
      const more = parked.length > namedMax ? ` and ${parked.length - namedMax} more` : "";
      return {
        status: "degraded",
        message: `Argosy ended ${interruptionsMax} times during work that it takes up no more: ${named.join(", ")}${more}.`,
        mend: [...new Set(parked.map(({ kind }) => kinds[kind].mend))].join(" "),
      };
    },
  };
}

/** Lets parked work be done again, in whichever service has it. */
export async function retryParked(
  storages: readonly Storage[],
  { kind, key }: Parameters<RetryParked>[0],
): ReturnType<RetryParked> {
  const known = workKinds.find((name) => name === kind);
  if (known === undefined) {
    const hint = `Kinds are ${workKinds.join(", ")}.`;
    throw new AppError("invalid", "invalid_request", `There is no kind of work ${kind}.`, {
      details: { hint },
    });
  }
  let retried = 0;
  for (const storage of storages) retried += await retryWork(storage, { kind: known, key });
  if (retried > 0) return { retried };
  throw new AppError("not_found", "not_found", `No work of the kind ${kind} is parked as ${key}.`, {
    details: { hint: "The check `interrupted work` of `argosy doctor` names what is parked." },
  });
}
