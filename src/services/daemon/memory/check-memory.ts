import type { DoctorCheck } from "../../../contracts/daemon/system.ts";
import type { ConversationArchive } from "../../../engine/memory/conversation.ts";
import { type AppError, toAppError } from "../../../kit/app-error.ts";
import type { Clock } from "../../../kit/clock.ts";
import { untilAborted } from "../../../kit/concurrency/until-aborted.ts";
import { startDeadline } from "../../../kit/deadline.ts";

/** A place where loaded agents store conversations. */
export interface UsedPlace {
  name: string;
  /** True if other processes of the installation use it too. */
  isShared: boolean;
  store: ConversationArchive;
  agents: readonly string[];
}

/** The doctor's check of conversations: reads from every place that agents use, each for at most `probeMs`. */
export async function checkMemory(
  places: readonly UsedPlace[],
  { clock, sharesDatabase, probeMs }: { clock: Clock; sharesDatabase: boolean; probeMs: number },
): Promise<Omit<DoctorCheck, "name">> {
  if (places.length === 0) return { status: "healthy", message: "No agent uses memory." };
  const patience = startDeadline(clock, probeMs, () => toAppError(new Error("no answer in time")));
  const key = { tenant: "doctor", agent: "doctor", sessionId: "doctor" };
  const faults = await Promise.all(
    places.map(({ store }) =>
      untilAborted(patience.signal, () => store.recent(key, 1)).then(
        () => undefined,
        (thrown: unknown) => toAppError(thrown),
      ),
    ),
  );
  patience.dispose();
  const failed = places.flatMap((place, index) => {
    const fault = faults[index];
    return fault === undefined ? [] : [{ place, fault }];
  });
  if (failed.length > 0) {
    return {
      status: failed.length === places.length ? "failing" : "degraded",
      message: failed.map(({ place, fault }) => `${place.agents.join(", ")}: ${saying(fault)}`).join(" "),
      mend: failed.map(({ fault }) => fault.details.hint ?? "see the server's log").join(" "),
    };
  }
  const own = places.filter(({ isShared }) => !isShared);
  const unshared =
    sharesDatabase && own.length > 0
      ? ` Local to this process: ${own.map(({ name, agents }) => `${name} (${agents.join(", ")})`).join("; ")}.`
      : "";
  const where = places.map(({ name }) => name).join(", ");
  return { status: "healthy", message: `Conversations are readable: ${where}.${unshared}` };
}

function saying({ message, code }: AppError): string {
  return code === "internal" ? "its conversations can't be read." : message;
}
