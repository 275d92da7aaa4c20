import type { RunnableAgent } from "../../../engine/run/runnable-agent.ts";
import { type Problem, toAppError } from "../../../kit/app-error.ts";
import type { AgentManifest } from "../../../manifest/agent.ts";
import { pathOf } from "../../../manifest/fault.ts";
import type { ManifestKind } from "../../../manifest/manifest-kind.ts";
import { invalidManifest } from "../../../manifest/problems.ts";
import { readYaml } from "../../../manifest/read-yaml.ts";
import type { AgentLife } from "./agent-life.ts";
import type { ObservedVariables } from "./observed-variables.ts";

/** What agents are made with. */
export interface AgentLoader {
  /** The folder whose `*.agent.yaml` files are agents, subfolders included. */
  folder: string;
  /** What file names are shown relative to. */
  workspace: string;
  kind: ManifestKind<AgentManifest>;
  /** The variables that files read, and that `build` looks keys up in. */
  variables: ObservedVariables;
  build: (manifest: AgentManifest, origin: ManifestOrigin) => RunnableAgent;
}

/** Where a manifest comes from. */
export interface ManifestOrigin {
  /** Whether it is a file of the operator's; what was sent is worked off where it harms nobody. */
  trusted: boolean;
}

/** One version of an agent that can run, and the text it was made from. */
export interface AgentVersion {
  name: string;
  text: string;
  manifest: AgentManifest;
  agent: RunnableAgent;
}

/** Why a version of an agent was refused. */
export interface Fault {
  message: string;
  problems: Problem[];
}

/** Builds a version; AppError `invalid_manifest` with the places in `text` of what can't be built. */
export function buildVersion(
  loader: Pick<AgentLoader, "build">,
  manifest: AgentManifest,
  text: string,
  { life, file }: { life: AgentLife; file: string | undefined },
): AgentVersion {
  try {
    const agent = life.bind(loader.build(manifest, { trusted: file !== undefined }));
    return { name: manifest.metadata.name, text, manifest, agent };
  } catch (thrown) {
    const { problems = [] } = toAppError(thrown).details;
    if (problems.length === 0) throw thrown;
    throw invalidManifest(placeProblems(problems, text), file);
  }
}

/** The problems with their places in the text that they are about. The text is read again: a document of places is ten times its size. */
export function placeProblems(problems: readonly Problem[], text: string): Problem[] {
  const reading = readYaml(text);
  if ("problem" in reading) return [...problems];
  return problems.map((problem) => ({ ...problem, ...reading.locate(pathOf(problem.path), "value") }));
}

/** Any failure as the fault that is shown of it. */
export function faultOf(thrown: unknown): Fault {
  const { message, details } = toAppError(thrown);
  return { message, problems: details.problems ?? [] };
}
