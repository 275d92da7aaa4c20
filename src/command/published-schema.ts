import { builtRegistries } from "../engine/agents/manifest-registries.ts";
import { providerNames } from "../engine/models/providers/registry.ts";
import { type JsonSchema, jsonSchemaOf } from "../manifest/schema/json-schema.ts";
import type { ManifestKindName } from "../manifest/schema/kind-names.ts";
import { manifestShape } from "../manifest/schema/manifest-shape.ts";

/** Returns the JSON Schema of a kind of file, limited to what this executable supports. */
export function publishedSchema(kind: ManifestKindName): JsonSchema {
  const registries = { agent: builtRegistries(), ragPipeline: {}, providerTypes: providerNames() };
  return jsonSchemaOf(manifestShape(kind, registries));
}
