import type { SpecKind } from "../../../contracts/translator/translation.ts";
import { specKinds } from "../../../contracts/translator/translation.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { Work } from "../../../kit/concurrency/others-turn.ts";
import type { AgentManifest } from "../../../manifest/agent/agent.ts";
import { invalidManifest } from "../../../manifest/fault.ts";
import type { RagPipelineManifest } from "../../../manifest/rag-pipeline.ts";
import { checkSentReading, type ManifestKind } from "../../../manifest/schema/manifest-kind.ts";
import { readSentYaml, type YamlReading } from "../../../manifest/yaml/read-yaml.ts";
import type { ReadSpec } from "./cloud-provider.ts";

/** The kinds of manifests that can be translated, as this executable reads them. */
export interface SpecManifests {
  agent: ManifestKind<AgentManifest>;
  pipeline: ManifestKind<RagPipelineManifest>;
}

/** Reads a sent manifest. Throws `invalid_manifest` with places, or `unknown_kind`, both 422. */
export function* readSpec({ agent, pipeline }: SpecManifests, yaml: string): Work<ReadSpec> {
  const reading = yield* readSentYaml(yaml);
  const kind = kindOf(reading);
  if (kind === "Agent") {
    const read = yield* checked(agent, reading);
    return { kind, name: read.manifest.metadata.name, ...read };
  }
  const read = yield* checked(pipeline, reading);
  return { kind, name: read.manifest.metadata.name, ...read };
}

/** Throws `unknown_kind` (422). */
export function requireKind(kind: string): SpecKind {
  const known = specKinds.find((one) => one === kind);
  if (known !== undefined) return known;
  throw new AppError("unprocessable", "unknown_kind", `Manifests of kind ${kind} can't be translated.`, {
    details: { hint: `Kinds are ${specKinds.join(" and ")}.` },
  });
}

function kindOf(reading: YamlReading): SpecKind {
  if ("problem" in reading) throw invalidManifest([reading.problem]);
  const { kind } = reading.value;
  if (typeof kind === "string") return requireKind(kind);
  const path = ["kind"];
  const message = `must be ${specKinds.join(" or ")}`;
  throw invalidManifest([{ path: "kind", message, ...reading.locate(path, "value") }]);
}

function* checked<T>(kind: ManifestKind<T>, reading: YamlReading): Work<{ manifest: T; document: unknown }> {
  const result = yield* checkSentReading(kind, reading);
  if ("problems" in result) throw invalidManifest(result.problems);
  const { manifest, document } = result;
  return { manifest, document };
}
