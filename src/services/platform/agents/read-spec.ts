import type { ManifestBody } from "../../../http/manifest-body.ts";
import { AppError, type Problem } from "../../../kit/app-error.ts";
import type { AgentManifest } from "../../../manifest/agent.ts";
import { checkDocument, checkFile, type PlaceProblem } from "../../../manifest/manifest-kind.ts";
import { agentKind } from "../../../manifest/parse-agent.ts";
import { invalidManifest } from "../../../manifest/problems.ts";

/** A spec that was sent, of the right shape; what it names is for the runtime to judge. */
export interface SentSpec {
  /** As it was sent, as JSON. */
  spec: Record<string, unknown>;
  name: string;
  displayName: string;
  manifest: AgentManifest;
  /** Adds to a problem that was found later its place in the text. */
  place: PlaceProblem;
}

/** By shape alone: which providers, tools and stores there are is known where agents run. */
const shape = agentKind({});

/** Throws `invalid_manifest` (400) with every problem, with lines where the body is YAML. */
export function readSpec(body: ManifestBody): SentSpec {
  const checked = body.format === "yaml" ? checkFile(shape, body.text) : checkDocument(shape, body.value);
  if ("problems" in checked) throw refusedSpec(checked.problems);
  const { manifest, document, place } = checked;
  const { name } = manifest.metadata;
  return { spec: specIn(document), name, displayName: displayNameOf(manifest), manifest, place };
}

/** The refusal of a spec, as the platform answers it. */
export function refusedSpec(problems: readonly Problem[]): AppError {
  const { message, details } = invalidManifest(problems);
  return new AppError("invalid", "invalid_manifest", message, { details });
}

/** What the agent is called where people read it. */
export function displayNameOf({ metadata, spec }: Pick<AgentManifest, "metadata" | "spec">): string {
  return spec.identity?.display_name ?? metadata.name;
}

/** As JSON: that is what is stored, compared and given back. */
function specIn(document: unknown): Record<string, unknown> {
  return JSON.parse(JSON.stringify(document));
}

/** The manifest of a spec that was checked when it was stored; undefined where this release no longer reads it. */
export function storedManifest(spec: Record<string, unknown>): AgentManifest | undefined {
  const checked = checkDocument(shape, spec);
  return "problems" in checked ? undefined : checked.manifest;
}
