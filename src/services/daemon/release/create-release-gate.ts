import { existsSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import type { LoadedEval } from "../../../evals/dataset/load-eval.ts";
import type { FileRuns } from "../../../evals/files/file-runs.ts";
import { evalFiles, readEval } from "../../../evals/files/read-eval-file.ts";
import { countedCases } from "../../../evals/gate/counted-cases.ts";
import { isSame, placeOf, together } from "../../../evals/gate/requirements.ts";
import { contentDigest } from "../../../evals/running/plan-attempts.ts";
import { type Problem, toAppError } from "../../../kit/app-error.ts";
import type { Clock } from "../../../kit/clock.ts";
import type { Logger } from "../../../kit/log.ts";
import type { SecretRegistry } from "../../../kit/secrets/secret-registry.ts";
import type { AgentManifest } from "../../../manifest/agent/agent.ts";
import type { AgentVersion } from "../agents/agent-version.ts";
import { fingerprintOf } from "../agents/fingerprint.ts";
import { manifestText } from "../agents/read-manifest.ts";
import type { ReleaseGate } from "../agents/release-gate.ts";
import type { ReleaseRecords, Requirements } from "./release-records.ts";

/** ReleaseSettings of the workspace whose agents are released. */
export interface ReleaseSettings {
  workspace: string;
  knownSecrets: Pick<SecretRegistry, "mask">;
  models: { rehearse: boolean };
}

type Required = Requirements[number];

/**
 * The gate of `spec.release`. It looks up stored runs of `argosy eval --candidate` and never asks a model itself, so a file's change costs
 * nothing. A version must also meet the requirements of the one in service: leaving them out is no way round them.
 */
export function createReleaseGate(
  config: ReleaseSettings,
  records: ReleaseRecords,
  runs: Pick<FileRuns, "judge" | "stampOf">,
  clock: Clock,
  log: Logger,
): ReleaseGate {
  /** Texts with secrets of their own are not stored; those that refer to variables have none. */
  const storable = (text: string) =>
    manifestText({ name: "", text, sources: [] }, (shown) => config.knownSecrets.mask(shown)) === text
      ? text
      : undefined;
  const note = ({ name, agent, manifest, text }: AgentVersion) => {
    const requires = manifest.spec.release?.requires ?? [];
    const last = records.last(name);
    const fingerprint = fingerprintOf(agent);
    const isGated = requires.length > 0 || manifest.spec.release?.canary !== undefined;
    if (!isGated && last === undefined) return;
    const isNoted = last?.fingerprint === fingerprint && isSame(last.requires, requires);
    if (isNoted && records.textOf(name) === storable(text)) return;
    // A rehearsal's versions answer with stand-ins; the next real start knows the real one.
    if (config.models.rehearse) return;
    records.serve(name, { fingerprint, requires, text: storable(text) }, clock.now());
    log.info("agent.released", { agent: name, fingerprint, requires: requires.map((one) => one.eval) });
  };
  return {
    async judge({ name, agent, manifest }, before) {
      const fingerprint = fingerprintOf(agent);
      const last = records.last(name);
      const own = manifest.spec.release?.requires ?? [];
      const requires = together(own, before?.manifest.spec.release?.requires ?? last?.requires ?? []);
      if (requires.length === 0) return [];
      // A version in service that is only built again, at a start or with another key, stays in service unless its gate is another one now.
      const inService =
        before === undefined
          ? last
          : {
              fingerprint: fingerprintOf(before.agent),
              requires: before.manifest.spec.release?.requires ?? [],
            };
      if (inService?.fingerprint === fingerprint && isSame(inService.requires, own)) return [];
      if (hasPassed(records, name, fingerprint, own)) return [];
      const reason = records.reasonFor(name, fingerprint);
      if (reason !== undefined) {
        log.warn("agent.release_overridden", { agent: name, fingerprint, reason });
        return [];
      }
      const sides = { config, runs, agent: name, fingerprint, served: inService?.fingerprint };
      const reasons = await Promise.all(requires.map((required) => reasonsOf(required, sides)));
      return requires.flatMap((required, index): Problem[] =>
        (reasons[index] ?? []).map((message) => ({ path: placeOf(own, required), message })),
      );
    },
    canary({ name, agent, manifest }, before) {
      const terms = termsOf(manifest, before.manifest);
      const fingerprint = fingerprintOf(agent);
      if (terms === undefined || config.models.rehearse) return { state: "none" };
      if (fingerprint === fingerprintOf(before.agent)) return { state: "none" };
      const last = records.canaryOf(name, fingerprint).at(-1);
      if (records.reasonFor(name, fingerprint) !== undefined) return { state: "none" };
      if (last?.event === "canary_returned") return { state: "returned", reasons: last.reasons };
      // The way back to a version that has been in service takes no time.
      if (last?.event === "canary_promoted" || records.hasServed(name, fingerprint)) return { state: "none" };
      return { state: "open", terms };
    },
    begin(version, before) {
      const { name } = version;
      const fingerprint = fingerprintOf(version.agent);
      const last = records.canaryOf(name, fingerprint).at(-1);
      if (last !== undefined && last.event !== "canary_withdrawn") return;
      const percent = termsOf(version.manifest, before.manifest)?.percent ?? 0;
      note(before);
      const baseline = fingerprintOf(before.agent);
      const at = clock.now().toISOString();
      records.step(name, { event: "canary_started", fingerprint, baseline, percent, at });
      log.info("agent.canary_started", { agent: name, fingerprint, baseline, percent });
    },
    withdraw(name, fingerprint) {
      const last = records.canaryOf(name, fingerprint).at(-1)?.event;
      if (last !== "canary_started" && last !== "canary_judged") return;
      records.step(name, { event: "canary_withdrawn", fingerprint, at: clock.now().toISOString() });
      log.info("agent.canary_withdrawn", { agent: name, fingerprint });
    },
    async evidence(held) {
      const asked = held.flatMap(({ version, before }) => {
        const served =
          before === undefined ? records.last(version.name)?.fingerprint : fingerprintOf(before.agent);
        return [fingerprintOf(version.agent), ...(served === undefined ? [] : [served])];
      });
      const stamp = await runs.stampOf(asked).catch((thrown) => toAppError(thrown).code);
      return `${stampOf(config, records)} ${stamp}`;
    },
    serve: note,
    forget: (name) => records.forgetText(name),
    last(name) {
      const last = records.last(name);
      return last && { fingerprint: last.fingerprint, text: records.textOf(name) };
    },
  };
}

/** True if another node took the version into service last, or has it as the canary. */
function hasPassed(records: ReleaseRecords, name: string, fingerprint: string, own: Requirements): boolean {
  const last = records.last(name);
  if (last?.fingerprint === fingerprint && isSame(last.requires, own)) return true;
  const step = records.canaryOf(name, fingerprint).at(-1)?.event;
  return step === "canary_started" || step === "canary_judged" || step === "canary_promoted";
}

interface Sides {
  config: ReleaseSettings;
  runs: Pick<FileRuns, "judge">;
  agent: string;
  fingerprint: string;
  /** Version in service. */
  served: string | undefined;
}

async function reasonsOf(required: Required, sides: Sides): Promise<string[]> {
  const { config, runs, agent, fingerprint, served } = sides;
  const evalConfig = await evalNamed(config, required.eval);
  if (typeof evalConfig === "string") return [evalConfig];
  const version = { agentName: agent, checksum: fingerprint, before: served };
  const eval_ = {
    required,
    content: contentDigest(evalConfig),
    counted: countedCases(evalConfig.written, evalConfig.spec.checks),
    run: `run \`argosy eval ${evalConfig.file} --agent ${agent} --candidate\``,
    takesSimulated: config.models.rehearse,
  };
  // While the database is away, the version waits and the others serve.
  return runs.judge(version, eval_).catch((thrown) => [toAppError(thrown).message]);
}

/** Reads the eval with a name; returns the reason if there is none that can be used. */
async function evalNamed({ workspace }: ReleaseSettings, name: string): Promise<LoadedEval | string> {
  const broken: string[] = [];
  for (const path of evalFiles(workspace)) {
    const file = relative(workspace, path);
    try {
      const loaded = await readEval(path, file, {});
      if (loaded.name === name) return loaded;
    } catch (thrown) {
      broken.push(toAppError(thrown).message);
    }
  }
  const rest = broken.length === 0 ? "" : `; files that can't be read: ${broken.join(" ")}`;
  return `there is no eval named ${name} in the evals folder${rest}`;
}

/** A version that names no canary has that of the version in service. */
const termsOf = (version: AgentManifest, before: AgentManifest) =>
  version.spec.release?.canary ?? before.spec.release?.canary;

/** Changes when an eval or a record does. */
function stampOf({ workspace }: ReleaseSettings, { folder }: ReleaseRecords): string {
  const evals = join(workspace, "evals");
  const files = existsSync(evals) ? [...new Bun.Glob("**/*").scanSync({ cwd: evals, absolute: true })] : [];
  const records = existsSync(folder)
    ? [...new Bun.Glob("*.jsonl").scanSync({ cwd: folder, absolute: true })]
    : [];
  return [...files, ...records]
    .flatMap((path) => statSync(path, { throwIfNoEntry: false }) ?? [])
    .map(({ mtimeMs, size, ino }) => `${ino}:${mtimeMs}:${size}`)
    .join();
}
