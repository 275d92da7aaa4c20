import type { ManifestOrigin } from "../../../contracts/daemon/agent-versions.ts";
import type { RunnableAgent } from "../../../engine/agents/runnable-agent.ts";
import type { GuardrailChains } from "../../../engine/guardrails/build-chains.ts";
import { type Problem, toAppError } from "../../../kit/app-error.ts";
import type { AgentManifest } from "../../../manifest/agent/agent.ts";
import { invalidManifest } from "../../../manifest/fault.ts";
import type { ManifestKind } from "../../../manifest/schema/manifest-kind.ts";
import type { Sender } from "../../../manifest/senders/sender.ts";
import type { ManifestReader } from "../manifests/kept-values.ts";
import { type ManifestFault, placeProblems } from "../manifests/manifest-fault.ts";
import type { ObservedVariables } from "../manifests/observed-variables.ts";
import type { AgentLife } from "./agent-life.ts";

/** Settings and functions that agents are built with. */
export interface AgentLoader {
  /** Folder whose `*.agent.yaml` files are agents, including subfolders. */
  folder: string;
  /** Folder that displayed file names are relative to. */
  workspace: string;
  kind: ManifestKind<AgentManifest>;
  /** Absent: every text is read anew. */
  reader?: ManifestReader;
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

/** Source of an agent as last read: a file or a manifest sent through the API. */
export interface AgentSource {
  /** Unique key of the source. */
  key: string;
  /** Path relative to the workspace; undefined for an agent that was sent through the API and lives in memory. */
  file: string | undefined;
  /** Name that identifies the agent while no version of it can run. */
  name: string;
  sender: Sender;
  /** Place where the text was saved; absent for a file's. */
  origin?: ManifestOrigin | undefined;
  /** Text as stored, before variables are substituted; undefined if it could not be read. */
  text: string | undefined;
  /** Content of the text, before variables are substituted; undefined if the text is not a valid manifest. */
  document?: unknown;
  /** Manifest parsed from the text; undefined if the text is not a valid manifest. */
  manifest: AgentManifest | undefined;
  /** Runnable version; undefined if none can be built, in which case `fault` says why. */
  version: AgentVersion | undefined;
  fault: ManifestFault | undefined;
  life: AgentLife;
}

/**
 * Builds a version. Throws AppError `invalid_manifest` with all problems; for a file, with the positions in `text` of the parts that can't
 * be built.
 */
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
    // Who sent a text places its problems, and a text of 1 MiB is not read twice.
    throw file === undefined ? thrown : invalidManifest(placeProblems(problems, text), file);
  }
}
