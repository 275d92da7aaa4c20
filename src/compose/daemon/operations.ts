import { join } from "node:path";
import { repeatedWorker } from "../../kit/worker.ts";
import { cassetteLimitsDefault } from "../../services/daemon/cassettes/cassette-retention.ts";
import { announceRedis } from "../../services/daemon/doctor/check-redis.ts";
import { redisWatch } from "../../services/daemon/doctor/redis-watch.ts";
import { loopLagSampler } from "../../services/daemon/metrics/loop-lag.ts";
import { openBackups } from "../../services/daemon/operations/open-backups.ts";
import type { OperationRoutesDeps } from "../../services/daemon/operations/routes.ts";
import { sizeDaysIn } from "../../services/daemon/operations/size-days.ts";
import { type Retained, storageReporter } from "../../services/daemon/operations/storage-report.ts";
import { providerProber } from "../../services/daemon/system/provider-prober.ts";
import { agedTraces } from "../../services/daemon/traces/store.ts";
import { foldParts } from "../../storage/room.ts";
import { isStorageAway } from "../../storage/until-stored.ts";
import { ownCommand } from "../child-command.ts";
import type { Foundation } from "../foundation.ts";
import type { Stage } from "./stage.ts";
import type { AgentBuilding } from "./stages/agent-building.ts";
import type { DaemonState } from "./stages/state.ts";
import type { Telemetry } from "./stages/telemetry.ts";

const dayMs = 24 * 60 * 60_000;
const measureEveryMs = 60 * 60_000;

export interface Operations extends Stage {
  ports: Omit<OperationRoutesDeps["operations"], "node" | "mask">;
  retained: readonly Retained[];
}

export interface OperationPorts {
  state: DaemonState;
  telemetry: Pick<Telemetry, "metrics">;
  building: Pick<AgentBuilding, "parts">;
}

type Parts = Pick<Foundation, "config" | "folder" | "clock" | "log" | "operated" | "ring">;

/** The parts of the process that the machine's owner can watch: workers, log, stored data and servers that it calls. */
export function openOperations(
  { config, folder, clock, log, operated, ring }: Parts,
  { state: { storage, catalog }, telemetry: { metrics }, building }: OperationPorts,
): Operations {
  const { redisUrl } = config;
  const backups = openBackups({ config, folder, command: ownCommand("backup"), clock, log });
  void announceRedis(redisUrl, clock, log);
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
    workers: [
      providerProber(catalog, building.parts.breakers, clock),
      loopLagSampler(metrics, clock),
      // Measured every hour, so that the days of the data's size are complete without a reader.
      repeatedWorker("size-recorder", measureEveryMs, clock, async () => {
        await storageReport().catch((thrown) => {
          if (isStorageAway(thrown)) throw thrown;
          log.warn("storage.not_measured", { err: thrown });
        });
      }),
      ...(redisUrl === undefined ? [] : [redisWatch(redisUrl, { registry: metrics.registry, clock, log })]),
      // On SQLite, bytes are counted in one place.
      ...(storage.dialect === "sqlite"
        ? []
        : [repeatedWorker("stored-parts", measureEveryMs, clock, () => foldParts(storage))]),
    ],
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
