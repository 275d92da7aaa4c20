import type { MlModel } from "../../../contracts/daemon/models/ml.ts";
import type { Provider } from "../../../contracts/daemon/models/providers.ts";
import type { CollectionView } from "../../../contracts/daemon/rag/rag.ts";

/** Agents and collections that use the files of a model. */
export interface ModelUses {
  agents: string[];
  collections: string[];
}

const modelFile = /\/(?:onnx\/)?model\.onnx$/;

/**
 * Returns the agents that call the model as provider `onnx`, and the collections whose vectors it made. Both name the model's folder, so a
 * model whose file lies elsewhere has none.
 */
export function usesOfModel(
  { path }: Pick<MlModel, "path">,
  providers: readonly Pick<Provider, "type" | "models">[],
  collections: readonly Pick<CollectionView, "name" | "embedder">[],
): ModelUses {
  if (!modelFile.test(path)) return { agents: [], collections: [] };
  const folder = path.replace(modelFile, "");
  const models = providers.filter(({ type }) => type === "onnx").flatMap((provider) => provider.models);
  const agents = models.filter(({ model }) => model === folder).flatMap((model) => model.agents);
  return {
    agents: [...new Set(agents)].sort(),
    collections: collections
      .filter(({ embedder }) => embedder.startsWith(`sentence_transformer/${folder}@`))
      .map(({ name }) => name),
  };
}
