import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { DoctorCheck } from "../../contracts/daemon/system.ts";
import { fixOfTrust } from "../../engine/tools/workspace-programs.ts";
import { toAppError } from "../../kit/app-error.ts";
import { type Clock, sleep } from "../../kit/clock.ts";
import type { Logger } from "../../kit/log.ts";
import type { Worker } from "../../kit/worker.ts";
import type { Config, ConfigFileName } from "./config.ts";
import { readConfigFile } from "./config-files.ts";

type Readings = Pick<Config, "workspace" | "digests" | "variable" | "programs">;

const lookEveryMs = 1000;

export function digestOf(text: string | Uint8Array): string {
  return createHash("sha256").update(text).digest("hex");
}

/** Returns the files that changed since the start. They take effect only after a restart. */
export async function changedConfigFiles({
  workspace,
  digests,
}: Pick<Readings, "workspace" | "digests">): Promise<ConfigFileName[]> {
  const names = Object.keys(digests) as ConfigFileName[];
  const differs = await Promise.all(
    names.map(async (name) => (await digestNow(join(workspace, name))) !== digests[name]),
  );
  return names.filter((_, at) => differs[at]);
}

/** The doctor's check of the configuration: files that changed after the start, and settings without effect. */
export async function checkConfiguration(
  config: Readings & Pick<Config, "warnings">,
): Promise<Omit<DoctorCheck, "name">> {
  const changed = await changedConfigFiles(config);
  const messages = [
    ...(changed.length === 0 ? [] : [needsRestart(changed), ...faultsOf(config, changed)]),
    ...config.warnings,
  ];
  if (messages.length === 0) {
    return { status: "healthy", message: "The configuration files have not changed since the start." };
  }
  const trust = fixOfTrust(config.warnings.join(" "));
  const mend =
    trust !== undefined
      ? `${trust}, then restart Argosy`
      : changed.length === 0
        ? "correct or remove these settings, then restart Argosy"
        : "argosy validate, then restart Argosy";
  return { status: "degraded", message: messages.join(" "), mend };
}

/** Checks the files once a second and logs each change once. */
export function configWatcher(config: Readings, clock: Clock, log: Logger): Worker {
  return {
    name: "config-watcher",
    async run(signal) {
      let told = "";
      while (!signal.aborted) {
        await sleep(clock, lookEveryMs, signal).catch(() => undefined);
        if (signal.aborted) return;
        const changed = await changedConfigFiles(config);
        const names = changed.join(", ");
        if (names !== told && changed.length > 0) {
          log.warn("config.changed", {
            files: changed,
            message: [needsRestart(changed), ...faultsOf(config, changed)].join(" "),
          });
        }
        told = names;
      }
    },
  };
}

function needsRestart(names: readonly ConfigFileName[]): string {
  const [verb, object] = names.length === 1 ? ["was", "it"] : ["were", "them"];
  return `${names.join(", ")} ${verb} changed after the start. Restart Argosy to apply ${object}.`;
}

/** Returns what the next start would refuse in these files, one message for each that has a fault. */
function faultsOf({ workspace, variable, programs }: Readings, names: readonly ConfigFileName[]): string[] {
  const reading = { variables: variable, refusal: programs.withholding(), onLeft: () => undefined };
  return names.flatMap((name) => {
    try {
      readConfigFile(name, workspace, reading);
      return [];
    } catch (thrown) {
      return [`The next start would refuse it: ${toAppError(thrown).message}.`];
    }
  });
}

/** Returns undefined for a file that can't be read, or a folder in its place. */
async function digestNow(path: string): Promise<string | undefined> {
  const bytes = await readFile(path).catch(() => undefined);
  return bytes && digestOf(bytes);
}
