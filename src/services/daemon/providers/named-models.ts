import type { ProvidersFile } from "../../../manifest/files/providers-file.ts";

/** Returns the models that providers.yaml names. */
export function namedModels({ providers }: ProvidersFile): { provider: string; model: string }[] {
  return Object.entries(providers).flatMap(([provider, { models }]) =>
    (models ?? []).map((model) => ({ provider, model })),
  );
}
