import type { RuntimeClient } from "../../../contracts/runtime/client.ts";
import type { Logger } from "../../../kit/log.ts";
import type { Random } from "../../../kit/retry.ts";
import type { OwnerLife } from "../../../storage/owner-life.ts";
import type { ConnectionDeps } from "../connections/deps.ts";
import type { PlatformMetrics } from "../metrics/platform-metrics.ts";
import type { TenantDurableRuns } from "./durable/durable-runs.ts";
import type { UnsettledRuns } from "./settlement/unsettled-runs.ts";

/** Dependencies of runs. The sealer also seals stored answers. */
export interface TenantRunDeps extends ConnectionDeps {
  random: Random;
  log: Logger;
  runtime: Pick<RuntimeClient, "run" | "decide" | "cancel">;
  settings: RunSettings;
  metrics: Pick<PlatformMetrics, "admission" | "runEnded" | "runsSwept" | "runContinued">;
  /** The ends of runs that are still to be written. */
  unsettled: UnsettledRuns;
  /** Durable runs that this process continues, and those whose steps are to be deleted. */
  durable: TenantDurableRuns;
  /** Names this process among those that share the database. */
  owner: string;
  /** Renewed before each admission, so that no other process takes this one for dead while its runs go on. */
  life: OwnerLife;
  /** Aborts when the time for a graceful stop is over. */
  stopping: AbortSignal;
  /** Registers work that continues after its answer, so the process waits for it at the stop. */
  outlives: (work: Promise<unknown>) => void;
}

/** The part of `spec.platform` in runtime.yaml that concerns runs, with defaults applied. */
export interface RunSettings {
  runTimeoutMs: number;
  /** True if runs with a key or a session continue after the death of their process. */
  durable: boolean;
  /** True if runs may call models without a tariff, without a charge. */
  allowUnpriced: boolean;
}
