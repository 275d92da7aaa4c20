import type { ManifestVersion } from "../../../contracts/daemon/agent-versions.ts";
import type { EvalRunBrief } from "../../../contracts/daemon/evals/eval-runs.ts";
import { evalTexts as texts } from "../../texts/studio/evals.ts";
import { agentPaths } from "../agents/agent-paths.ts";
import { evalRunPath } from "./eval-keys.ts";

/** Version of the agent that a run was asked of. */
export interface RunVersion {
  /** Undefined if the agent's history does not have it. */
  number: number | undefined;
  /** Names the number, or else the beginning of the checksum. */
  label: string;
  /** The same for narrow places. */
  short: string;
}

/** Returns the version that a run was asked of. A restored one has several numbers: the newest before the run counts. */
export function versionOf(
  { agent_manifest: manifest, agent_checksum, started_at }: EvalRunBrief,
  versions: readonly ManifestVersion[],
): RunVersion {
  const same = versions.filter(({ checksum }) => checksum === manifest);
  const started = Date.parse(started_at);
  const number = (same.find(({ at }) => Date.parse(at) <= started) ?? same[0])?.number;
  const checksum = (manifest ?? agent_checksum).slice(0, 7);
  return number === undefined
    ? { number, label: checksum, short: checksum }
    : { number, label: texts.versionLabel(number), short: texts.versionShort(number) };
}

/** True if both runs were asked of the same manifest of the same agent. */
export const hasSameVersion = (one: EvalRunBrief, other: EvalRunBrief): boolean => {
  if (one.agent !== other.agent) return false;
  return one.agent_manifest !== undefined && other.agent_manifest !== undefined
    ? one.agent_manifest === other.agent_manifest
    : one.agent_checksum === other.agent_checksum;
};

/** A run that was asked of another version than the run before it. */
export interface VersionChange {
  run: EvalRunBrief;
  before: EvalRunBrief;
  version: RunVersion;
  /** The differences between the two versions if the history has both; otherwise the run. */
  href: string;
}

/** Returns the changes of the version between runs, which are oldest first. */
export function versionChanges(
  runs: readonly EvalRunBrief[],
  versions: readonly ManifestVersion[],
): VersionChange[] {
  return runs.flatMap((run, at) => {
    const before = runs[at - 1];
    if (before === undefined || hasSameVersion(before, run)) return [];
    const version = versionOf(run, versions);
    const from = before.agent === run.agent ? versionOf(before, versions).number : undefined;
    const hasBoth = from !== undefined && version.number !== undefined && from !== version.number;
    const diff = new URLSearchParams({ from: String(from), to: String(version.number) });
    const href = hasBoth ? `${agentPaths.history(run.agent)}?${diff}` : evalRunPath(run.id);
    return [{ run, before, version, href }];
  });
}
