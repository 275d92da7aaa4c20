import { agentKind } from "../agent/agent-kind.ts";
import { evalKind } from "../eval/eval.ts";
import { channelsFileKind } from "../files/channels-file.ts";
import { connectionsFileKind } from "../files/connections-file.ts";
import { platformFileKind } from "../files/platform-file.ts";
import { pricesFileKind } from "../files/prices-file.ts";
import { providersFileKind } from "../files/providers-file.ts";
import { ragEvalFileKind } from "../files/rag-eval-file.ts";
import { runtimeFileKind } from "../files/runtime-file.ts";
import { type RagRegistries, ragPipelineKind } from "../rag-pipeline.ts";
import type { ManifestKindName } from "./kind-names.ts";
import type { ManifestShape } from "./manifest-kind.ts";
import type { ManifestRegistries } from "./registries.ts";

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
    case "platform":
      return platformFileKind;
    case "rag-eval":
      return ragEvalFileKind;
    case "eval":
      return evalKind;
  }
}
