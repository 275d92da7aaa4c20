import type { Problem } from "../../kit/app-error.ts";
import { systemClock } from "../../kit/clock.ts";
import { silentLogger } from "../../kit/log.ts";
import type { RuntimeFile } from "../../manifest/files/runtime-file.ts";
import { createVectorStores } from "../../retrieval/stores/vector-stores.ts";
import { createProviderFetch } from "../provider-fetch.ts";
import { asText, type SettingReader } from "./setting.ts";

const path = "spec.vectors";

/** Returns a problem for each unsupported part of `spec.vectors`. Opens nothing. */
export function vectorProblems({ spec }: RuntimeFile, databaseUrl: string | undefined): Problem[] {
  if (spec.vectors === undefined) return [];
  const stores = createVectorStores({
    fetch: createProviderFetch(systemClock),
    clock: systemClock,
    log: silentLogger,
    random: Math.random,
    variable: () => undefined,
    dataFolder: "",
    databaseUrl,
    defaults: spec.vectors,
  });
  return stores.problemsOf({}).map((problem) => ({ ...problem, path: `${path}.${problem.path}` }));
}

/** Checks the settings of the vector store and records them for `argosy config`. Only the file can have them. `hasNodes`: other nodes run agents too. */
export function readVectors(
  reader: SettingReader,
  runtime: RuntimeFile,
  databaseUrl: string | undefined,
  hasNodes: boolean,
): void {
  if (databaseUrl !== undefined && hasNodes && runtime.spec.vectors?.backend === undefined) {
    reader.fault(
      `runtime.yaml ${path}.backend`,
      "is needed, because nodes share the database, but not the vectors on their disks: name pgvector, qdrant or chroma, or lancedb if each node keeps its own",
    );
  }
  for (const problem of vectorProblems(runtime, databaseUrl))
    reader.fault(`runtime.yaml ${problem.path}`, problem.message);
  const { backend, url } = runtime.spec.vectors ?? {};
  const row = { read: asText, expects: "a text" };
  reader.get(
    { ...row, key: "vectors.backend", file: { path: `${path}.backend`, value: backend } },
    "lancedb",
  );
  reader.find({ ...row, key: "vectors.url", file: { path: `${path}.url`, value: url }, secret: true });
}
