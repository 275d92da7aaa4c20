import { channelsFileKind } from "./channels-file.ts";
import { connectionsFileKind } from "./connections-file.ts";
import type { ManifestKindName } from "./kind-names.ts";
import type { ManifestShape } from "./manifest-kind.ts";
import { agentKind } from "./parse-agent.ts";
import { pricesFileKind } from "./prices-file.ts";
import { providersFileKind } from "./providers-file.ts";
import { ragEvalFileKind } from "./rag-eval-file.ts";
import { type RagRegistries, ragPipelineKind } from "./rag-pipeline.ts";
import type { ManifestRegistries } from "./registries.ts";
import { runtimeFileKind } from "./runtime-file.ts";

/** Abilities of the running executable, for every kind of file that depends on them. */
export interface ShapeRegistries {
  agent: ManifestRegistries;
  ragPipeline: RagRegistries;
  providerTypes?: readonly string[];
}

/** Returns the shape of a kind of file by its name, for `jsonSchemaOf` and the reference. */
export function manifestShape(name: ManifestKindName, registries: ShapeRegistries): ManifestShape {
  switch (name) {
    case "agent":
      return agentKind(registries.agent);
    case "rag-pipeline":
      return ragPipelineKind(registries.ragPipeline);
    case "providers":
      return providersFileKind(
        registries.providerTypes === undefined ? {} : { types: registries.providerTypes },
      );
    case "prices":
      return pricesFileKind;
    case "runtime":
      return runtimeFileKind;
    case "channels":
      return channelsFileKind;
    case "connections":
      return connectionsFileKind;
    case "rag-eval":
      return ragEvalFileKind;
  }
}
