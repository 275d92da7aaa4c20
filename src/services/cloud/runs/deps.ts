import type { RuntimeClient } from "../../../contracts/runtime/client.ts";
import type { RunWatchDeps } from "../../../control-plane/runs/watch-run.ts";
import type { Logger } from "../../../kit/log.ts";
import type { AccessDeps } from "../access/deps.ts";
import type { ProviderDeps } from "../providers/provider-keys.ts";
import type { Admissions } from "./admissions.ts";
import type { OpenStreams } from "./open-streams.ts";
import type { RunUsage } from "./run-usage.ts";

/** Dependencies of runs. */
export interface CloudRunDeps extends AccessDeps, ProviderDeps, Omit<RunWatchDeps, "runtime"> {
  log: Logger;
  streams: OpenStreams;
  runUsage: RunUsage;
  admissions: Admissions;
  runtime: Pick<RuntimeClient, "run" | "cancel" | "register" | "deregister">;
}
