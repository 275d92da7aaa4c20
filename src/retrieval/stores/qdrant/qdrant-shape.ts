import type { StoreHttp } from "../http/store-http.ts";
import { dimensionMismatch } from "../store-failure.ts";
import { qdrantAnswers, resultOf } from "./qdrant-answers.ts";

/** Fields used in filters and selections; Qdrant may refuse filters on fields without an index. */
const indexedFields = ["group", "write", "tokens"];

/** Creates the collection and its indexes if they are missing. Throws AppError `dimension_mismatch`. */
export async function ensureCollection(http: StoreHttp, path: string, dimension: number): Promise<void> {
  const description = await describe(http, path);
  if (description === undefined) await http({ method: "PUT", path, body: shape(dimension), expects: [409] });
  // Another process may have created it with another dimension in between.
  const { config, payload_schema } = description ?? (await describe(http, path)) ?? unmade;
  const { size } = config.params.vectors.meaning;
  if (size !== 0 && size !== dimension) throw dimensionMismatch(size, dimension);
  for (const field of indexedFields.filter((name) => !(name in payload_schema)))
    await makeIndex(http, path, field, "keyword");
}

const unmade = { config: { params: { vectors: { meaning: { size: 0 } } } }, payload_schema: {} };

async function describe(http: StoreHttp, path: string) {
  const { status, body } = await http({ method: "GET", path, expects: [404] });
  return status === 404 ? undefined : resultOf(qdrantAnswers.collection, body);
}

/** Creates a payload index; an existing one is kept. */
export async function makeIndex(
  http: StoreHttp,
  path: string,
  field: string,
  schema: "keyword" | "integer",
): Promise<void> {
  const body = { field_name: field, field_schema: schema };
  await http({ method: "PUT", path: `${path}/index?wait=true`, body, expects: [404] });
}

const shape = (dimension: number) => ({
  vectors: { meaning: { size: dimension, distance: "Cosine" } },
  sparse_vectors: { words: { modifier: "idf" } },
  on_disk_payload: true,
});
