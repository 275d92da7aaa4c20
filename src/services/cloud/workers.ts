import { keyUseWriter } from "../../control-plane/keys/key-uses.ts";
import { noteOwnersElsewhere } from "../../control-plane/room/note-elsewhere.ts";
import { dropExpiredTokens } from "../../control-plane/sessions/drop-expired-tokens.ts";
import { repeatedWorker, type Worker } from "../../kit/worker.ts";
import { aloneWorker } from "../../storage/alone.ts";
import { dropDeadOwners, ownerTtlMs } from "../../storage/owner-life.ts";
import { foldParts } from "../../storage/room.ts";
import { forgetRetired } from "./agents/delete-agent.ts";
import type { CloudDeps } from "./deps.ts";
import { evalRunWorker } from "./evals/ask-candidate.ts";
import { dropLateRows } from "./orgs/delete-org.ts";
import { streamTtlMs } from "./runs/open-streams.ts";

const minuteMs = 60_000;
/** Interval at which tokens of summaries reach the usage report of other processes. */
const lateUsageMs = 5_000;
const hourMs = 60 * minuteMs;

/** Background workers of the cloud, in order of starting. */
export function cloudWorkers(deps: CloudDeps): Worker[] {
  const { clock, storage } = deps;
  return [
    // A SQLite database belongs to one process.
    ...(storage.dialect === "sqlite"
      ? []
      : [
          repeatedWorker("cloud-process", ownerTtlMs / 3, clock, () => deps.life.renew()),
          repeatedWorker("dead-cloud-processes", hourMs, clock, async () => {
            await dropDeadOwners(storage, 24 * hourMs);
            await foldParts(storage);
          }),
        ]),
    evalRunWorker(deps),
    keyUseWriter(deps),
    repeatedWorker("open-cloud-streams", streamTtlMs / 3, clock, () => deps.streams.renew()),
    repeatedWorker("late-cloud-usage", lateUsageMs, clock, () => deps.runUsage.addLate()),
    repeatedWorker("expired-cloud-tokens", hourMs, clock, async () => void (await dropExpiredTokens(deps))),
    repeatedWorker("stored-cloud-bytes", minuteMs, clock, () =>
      noteOwnersElsewhere(deps, { owners: storage.tables.orgs }, [
        { service: "daemon", held: (ids) => deps.runtime.stored(ids) },
      ]),
    ),
    aloneWorker("retired-cloud-agents", minuteMs, deps, (signal) => forgetRetired(deps, signal)),
    repeatedWorker("retired-cloud-orgs", minuteMs, clock, () => dropLateRows(deps)),
  ];
}
