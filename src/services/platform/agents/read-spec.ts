import type { ManifestBody } from "../../../http/bodies/manifest-body.ts";
import { inPieces } from "../../../kit/concurrency/others-turn.ts";
import type { AgentManifest } from "../../../manifest/agent/agent.ts";
import { agentKind } from "../../../manifest/agent/agent-kind.ts";
import { refusedManifest } from "../../../manifest/fault.ts";
import { checkDocument, checkSentText, type PlaceProblem } from "../../../manifest/schema/manifest-kind.ts";

/** A received spec with a valid shape. The runtime checks the names in it. */
export interface SentSpec {
  /** The spec as received, as JSON. */
  spec: Record<string, unknown>;
  name: string;
  displayName: string;
  manifest: AgentManifest;
  /** Adds the position in the text to a problem found later. */
  place: PlaceProblem;
}

/** Checks the shape only. Providers, tools and stores are known where agents run. */
const shape = agentKind({});

/** Throws `invalid_manifest` (400) with every problem, with line numbers if the body is YAML. */
export async function readSpec(body: ManifestBody): Promise<SentSpec> {
  const checked =
    body.format === "yaml"
      ? await inPieces(checkSentText(shape, body.text))
      : checkDocument(shape, body.value);
  if ("problems" in checked) throw refusedManifest(checked.problems);
  const { manifest, document, place } = checked;
  const { name } = manifest.metadata;
  return { spec: specIn(document), name, displayName: displayNameOf(manifest), manifest, place };
}

/** Name of the agent for display. */
export function displayNameOf({ metadata, spec }: Pick<AgentManifest, "metadata" | "spec">): string {
  return spec.identity?.display_name ?? metadata.name;
}

/** Converts to JSON, which is the form that is stored, compared and returned. */
function specIn(document: unknown): Record<string, unknown> {
  return JSON.parse(JSON.stringify(document));
}

/** Returns the manifest of a stored spec; undefined if this release can no longer read it. */
export function storedManifest(spec: Record<string, unknown>): AgentManifest | undefined {
  const checked = checkDocument(shape, spec);
  return "problems" in checked ? undefined : checked.manifest;
}
