import type { Config, ConfigFlags } from "../compose/config.ts";
import type { createProcessLogger } from "../compose/logging.ts";
import type { reachDaemon } from "../compose/reach.ts";
import type { startArgosy } from "../compose/start.ts";
import type { ValidatedFile } from "../compose/validate.ts";
import type { Logger } from "../kit/log.ts";
import type { ManifestKindName } from "../manifest/kind-names.ts";

export type RunningArgosy = Awaited<ReturnType<typeof startArgosy>>;
export type ReachedDaemon = Awaited<ReturnType<typeof reachDaemon>>;
export type ProcessLogger = ReturnType<typeof createProcessLogger>;

/** The rest of Argosy as commands use it. Each part is loaded when it is first called, so that no command pays for another's. */
export interface Parts {
  loadConfig(flags: ConfigFlags): Promise<Config>;
  createLogger(config: Config): Promise<ProcessLogger>;
  start(config: Config, log: Logger): Promise<RunningArgosy>;
  reach(config: Config, log: Logger): Promise<ReachedDaemon>;
  /** What is wrong with the files at these paths; with those of the workspace when there are none. */
  validate(flags: Pick<ConfigFlags, "workspace">, paths: readonly string[]): Promise<ValidatedFile[]>;
  jsonSchema(kind: ManifestKindName): Promise<unknown>;
}

export const builtParts: Parts = {
  loadConfig: async (flags) => (await import("../compose/config.ts")).loadConfig(flags),
  createLogger: async (config) => (await import("../compose/logging.ts")).createProcessLogger(config),
  start: async (config, log) => (await import("../compose/start.ts")).startArgosy(config, { log }),
  reach: async (config, log) => (await import("../compose/reach.ts")).reachDaemon(config, { log }),
  validate: async (flags, paths) => (await import("../compose/validate.ts")).validateWorkspace(flags, paths),
  jsonSchema: async (kind) => (await import("../compose/published-schema.ts")).publishedSchema(kind),
};
