import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { DoctorCheck } from "../../contracts/daemon/system.ts";
import { fixOfTrust } from "../../engine/tools/workspace-programs.ts";
import { toAppError } from "../../kit/app-error.ts";
import { type Clock, sleep } from "../../kit/clock.ts";
import { isRecord } from "../../kit/json/is-record.ts";
import type { Logger } from "../../kit/log.ts";
import { asSentence } from "../../kit/text/as-sentence.ts";
import type { Worker } from "../../kit/worker.ts";
import { readYaml } from "../../manifest/yaml/read-yaml.ts";
import type { Config, StartFileName } from "./config.ts";
import { leftOf, readConfigFile, startFileNames } from "./config-files.ts";
import type { ModelFiles } from "./model-files.ts";

type Readings = Pick<Config, "workspace" | "digests" | "variable" | "programs">;

const lookEveryMs = 1000;

/** Sections of runtime.yaml's `spec` that a running server reads again. */
const reloadedSections = ["model_defaults", "defaults"];

/** Digest of what only the start reads of this file. Comments, spaces and reloaded sections of runtime.yaml don't change it. */
export function digestOf(name: StartFileName, bytes: Uint8Array): string {
  const text = name === "runtime.yaml" ? startPart(new TextDecoder().decode(bytes)) : undefined;
  return createHash("sha256")
    .update(text ?? bytes)
    .digest("hex");
}

/** Content of a file that does not exist; undefined for one that can't be read, or a folder in its place. */
export function absentBytes(thrown: unknown): Uint8Array | undefined {
  const isAbsent = thrown instanceof Error && "code" in thrown && thrown.code === "ENOENT";
  return isAbsent ? Buffer.from("spec: {}") : undefined;
}

/** Returns undefined for a text that can't be read. */
function startPart(text: string): string | undefined {
  const reading = readYaml(text);
  if ("problem" in reading || !isRecord(reading.value)) return undefined;
  const { spec, ...others } = reading.value;
  if (!isRecord(spec)) return undefined;
  const sections = Object.entries(spec).filter(([name]) => !reloadedSections.includes(name));
  return JSON.stringify([others, Object.fromEntries(sections)]);
}

/** Returns the files that only the start reads and that changed since. */
export async function changedConfigFiles({
  workspace,
  digests,
}: Pick<Readings, "workspace" | "digests">): Promise<StartFileName[]> {
  const names = Object.keys(digests) as StartFileName[];
  const differs = await Promise.all(
    names.map(async (name) => (await digestNow(workspace, name)) !== digests[name]),
  );
  return names.filter((_, at) => differs[at]);
}

/**
 * The doctor's check of the configuration: files that changed after the start and need another, changes that can't be used, and settings
 * without effect.
 */
export async function checkConfiguration(
  config: Readings & Pick<Config, "left" | "warnings">,
  files: Pick<ModelFiles, "faults" | "left" | "revision">,
): Promise<Omit<DoctorCheck, "name">> {
  const changed = await changedConfigFiles(config);
  const refused = files.faults().map((fault) => `${asSentence(fault)} What was in force before it stays so.`);
  // What a reload has refused is told already.
  const untold = changed.filter((name) => !refused.some((fault) => fault.startsWith(name)));
  const leftAtStart = leftOf(startFileNames, config.left);
  const leftNow = files.left();
  const messages = [
    ...refused,
    ...(changed.length === 0 ? [] : [needsRestart(changed), ...faultsOf(config, untold)]),
    ...leftNow,
    ...leftAtStart,
    ...config.warnings,
  ];
  if (messages.length === 0) {
    const message =
      files.revision() === 0
        ? "The configuration files have not changed since the start."
        : "Changes of the configuration files are in force.";
    return { status: "healthy", message };
  }
  const trust = fixOfTrust([...leftNow, ...leftAtStart].join(" "));
  const restarts = [
    ...(changed.length > 0 ? ["argosy validate"] : []),
    ...(config.warnings.length > 0 ? ["correct or remove these settings"] : []),
    ...(leftAtStart.length > 0 && trust !== undefined ? [trust] : []),
  ];
  const mends = [
    ...(refused.length > 0 ? ["correct the file; Argosy reads it again"] : []),
    ...(leftAtStart.length === 0 && trust !== undefined ? [trust] : []),
    ...(restarts.length > 0 ? [`${restarts.join("; ")}, then restart Argosy`] : []),
  ];
  const mend = mends.join("; ");
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

function needsRestart(names: readonly StartFileName[]): string {
  const [verb, object] = names.length === 1 ? ["was", "it"] : ["were", "them"];
  return `${names.join(", ")} ${verb} changed after the start. Restart Argosy to apply ${object}.`;
}

/** Returns what the next start would refuse in these files, one message for each that has a fault. */
function faultsOf({ workspace, variable, programs }: Readings, names: readonly StartFileName[]): string[] {
  const reading = { variables: variable, refusal: programs.withholding(), onLeft: () => undefined };
  return names.flatMap((name) => {
    try {
      readConfigFile(name, workspace, reading);
      return [];
    } catch (thrown) {
      return [asSentence(`The next start would refuse it: ${toAppError(thrown).message}`)];
    }
  });
}

/** Returns undefined for a file that can't be read, or a folder in its place. */
async function digestNow(workspace: string, name: StartFileName): Promise<string | undefined> {
  const bytes = await readFile(join(workspace, name)).catch(absentBytes);
  return bytes && digestOf(name, bytes);
}
