import type { GuardrailChains } from "../../../engine/guardrails/build-chains.ts";
import type { RunnableAgent } from "../../../engine/run/runnable-agent.ts";
import { type Problem, toAppError } from "../../../kit/app-error.ts";
import type { AgentManifest } from "../../../manifest/agent/agent.ts";
import { invalidManifest, pathOf } from "../../../manifest/fault.ts";
import type { ManifestKind } from "../../../manifest/schema/manifest-kind.ts";
import type { Sender } from "../../../manifest/senders/sender.ts";
import { readYaml } from "../../../manifest/yaml/read-yaml.ts";
import type { AgentLife } from "./agent-life.ts";
import type { ObservedVariables } from "./observed-variables.ts";

/** Settings and functions that agents are built with. */
export interface AgentLoader {
  /** Folder whose `*.agent.yaml` files are agents, including subfolders. */
  folder: string;
  /** Folder that displayed file names are relative to. */
  workspace: string;
  kind: ManifestKind<AgentManifest>;
  /** Variables that files refer to and that `build` reads keys from. */
  variables: ObservedVariables;
  /** Returns the parts of a manifest that its sender may not use. */
  vet: (manifest: AgentManifest, sender: Sender) => Problem[];
  build: (manifest: AgentManifest, sender: Sender, guardrails?: GuardrailChains) => RunnableAgent;
}

/** A runnable version of an agent and the text it was built from. */
export interface AgentVersion {
  name: string;
  text: string;
  manifest: AgentManifest;
  agent: RunnableAgent;
}

/** Reason why a version of an agent was refused. */
export interface Fault {
  message: string;
  problems: Problem[];
}

/** Builds a version. Throws AppError `invalid_manifest` with the positions in `text` of the parts that can't be built. */
export function buildVersion(
  loader: Pick<AgentLoader, "build" | "vet">,
  manifest: AgentManifest,
  text: string,
  { life, file, sender }: { life: AgentLife; file: string | undefined; sender: Sender },
  guardrails?: GuardrailChains,
): AgentVersion {
  try {
    const refused = loader.vet(manifest, sender);
    if (refused.length > 0) throw invalidManifest(refused);
    const agent = life.bind(loader.build(manifest, sender, guardrails));
    return { name: manifest.metadata.name, text, manifest, agent };
  } catch (thrown) {
    const { problems = [] } = toAppError(thrown).details;
    if (problems.length === 0) throw thrown;
    throw invalidManifest(placeProblems(problems, text), file);
  }
}

/**
 * Adds to each problem its position in the text. Parses the text again, because a parsed document with positions is ten times the size of
 * the text.
 */
export function placeProblems(problems: readonly Problem[], text: string): Problem[] {
  const reading = readYaml(text);
  if ("problem" in reading) return [...problems];
  return problems.map((problem) => ({ ...problem, ...reading.locate(pathOf(problem.path), "value") }));
}

/** Converts any thrown value into a fault. */
export function faultOf(thrown: unknown): Fault {
  const { message, details } = toAppError(thrown);
  return { message, problems: details.problems ?? [] };
}
