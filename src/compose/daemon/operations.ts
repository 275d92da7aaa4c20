import { join } from "node:path";
import { repeatedWorker, type Worker } from "../../kit/worker.ts";
import { cassetteLimitsDefault } from "../../services/daemon/cassettes/cassette-retention.ts";
import type { OperationRoutesDeps } from "../../services/daemon/operations/routes.ts";
import { sizeDaysIn } from "../../services/daemon/operations/size-days.ts";
import { type Retained, storageReporter } from "../../services/daemon/operations/storage-report.ts";
import type { DaemonTables } from "../../services/daemon/tables.ts";
import { agedTraces } from "../../services/daemon/traces/store.ts";
import type { Storage } from "../../storage/storage.ts";
import type { Foundation } from "../foundation.ts";
import { openBackups } from "./backups.ts";

const dayMs = 24 * 60 * 60_000;
const measureEveryMs = 60 * 60_000;

export interface Operations {
  ports: Omit<OperationRoutesDeps["operations"], "node" | "mask">;
  /** Measures the data every hour, so that its days are complete without a reader. */
  worker: Worker;
  retained: readonly Retained[];
  close(): Promise<void>;
}

/** The parts of the process that the machine's owner can watch: workers, log and stored data. */
export function assembleOperations(foundation: Foundation, storage: Storage<DaemonTables>): Operations {
  const { config, folder, clock, log, operated, ring } = foundation;
  const backups = openBackups(foundation);
  const { days, bytesMax } = config.observability.retention;
  const storageReport = storageReporter({
    ...operated,
    clock,
    dataFolder: folder.path,
    sizeDays: sizeDaysIn(join(folder.path, "size-days.json")),
  });
  return {
    ports: { ...operated, clock, ring, storageReport, backups },
    close: backups.close,
    worker: repeatedWorker("size-recorder", measureEveryMs, clock, async () => {
      await storageReport().catch((thrown) => log.warn("storage.not_measured", { err: thrown }));
    }),
    retained: [
      {
        what: "traces",
        days,
        bytes_max: bytesMax,
        setting: "spec.observability.retention_days",
        due: () => agedTraces(storage, new Date(clock.now().getTime() - (days - 1) * dayMs)),
      },
      {
        what: "recordings",
        days: cassetteLimitsDefault.days,
        bytes_max: cassetteLimitsDefault.bytesMax,
        setting: null,
      },
    ],
  };
}
