import { type Static, Type } from "@sinclair/typebox";
import type { ManifestKind } from "./schema/manifest-kind.ts";
import {
  closed,
  flag,
  httpUrl,
  list,
  name,
  nameFrom,
  number,
  objectName,
  oneOf,
  openObject,
  text,
  variableName,
  whole,
} from "./schema/schema-vocabulary.ts";

/** Abilities of the running executable for pipelines; missing parts are checked only by shape. */
export interface RagRegistries {
  chunkers?: readonly string[];
  embedders?: readonly string[];
  vectorStores?: readonly string[];
  rerankers?: readonly string[];
}

const chunking = ({ chunkers }: RagRegistries) =>
  closed(
    {
      strategy: oneOf(
        ["fixed", "recursive", "sentence", "semantic"],
        { description: "How documents are cut.", default: "recursive" },
        chunkers,
      ),
      chunk_size: whole(1, 100_000, { description: "Longest chunk, in characters.", default: 512 }),
      overlap: whole(0, 99_999, {
        description: "Characters that neighbours share; less than chunk_size.",
        default: 50,
      }),
      separators: Type.Optional(
        list(text(64, { description: "A text to cut at." }), 32, {
          description: "`recursive`: where to cut, best first.",
        }),
      ),
      similarity_threshold: number(0, 1, {
        description: "`semantic`: neighbours below this similarity are cut apart.",
        default: 0.5,
      }),
    },
    { description: "How documents are cut into chunks.", default: {} },
  );

const embeddings = ({ embedders }: RagRegistries) =>
  closed(
    {
      provider: nameFrom(embedders, {
        description:
          "What turns text into vectors: `local_hash`, `ollama`, `openai`, `sentence_transformer`.",
        default: "local_hash",
      }),
      model: Type.Optional(text(255, { description: "The model's name at the provider." })),
      endpoint: Type.Optional(httpUrl({ description: "The provider's address." })),
      api_key_env: Type.Optional(
        variableName({ description: "Name of the environment variable that holds the key." }),
      ),
      dimension: Type.Optional(
        whole(1, 16_384, { description: "Length of the vectors, where the model leaves a choice." }),
      ),
    },
    { description: "How chunks become vectors.", default: {} },
  );

const vectorStore = ({ vectorStores }: RagRegistries) =>
  closed(
    {
      backend: Type.Optional(
        oneOf(
          ["lancedb", "pgvector", "qdrant", "chroma", "memory"],
          {
            description: "The store; `spec.vectors` of runtime.yaml sets another default.",
            default: "lancedb",
          },
          vectorStores,
        ),
      ),
      url: Type.Optional(text(2048, { description: "The store's address, for stores that are servers." })),
      api_key_env: Type.Optional(
        variableName({ description: "Name of the environment variable that holds the key." }),
      ),
      dsn: Type.Optional(text(2048, { description: "`pgvector`: connection string." })),
    },
    { description: "Where the vectors are kept.", default: {} },
  );

const reranking = ({ rerankers }: RagRegistries) =>
  closed(
    {
      enabled: flag({ description: "Whether results are ordered again.", default: false }),
      provider: oneOf(
        ["cross_encoder", "cohere"],
        { description: "What orders them.", default: "cross_encoder" },
        rerankers,
      ),
      model: Type.Optional(text(255, { description: "The model's name at the provider." })),
      top_k: Type.Optional(
        whole(1, 1000, { description: "Results that are kept; absent: those of retrieval." }),
      ),
      api_key_env: Type.Optional(
        variableName({ description: "Name of the environment variable that holds the key." }),
      ),
    },
    { description: "A second look at what was found.", default: {} },
  );

const retrieval = closed(
  {
    top_k: whole(1, 100, { description: "Passages returned.", default: 5 }),
    similarity_threshold: number(0, 1, {
      description: "Passages below this score are left out.",
      default: 0,
    }),
    mode: oneOf(["hybrid", "vector", "text"], { description: "What is searched by.", default: "hybrid" }),
    filters: openObject({ description: "Values that a passage's metadata must have.", default: {} }),
  },
  { description: "How passages are found.", default: {} },
);

const source = closed({
  path: text(1024, { description: "Files under the workspace, as a glob pattern." }),
});

/** The schema of `kind: RAGPipeline` after reading: defaults filled in. */
export const ragPipelineSchema = (registries: RagRegistries) =>
  closed(
    {
      apiVersion: Type.Literal("platform/v1", { description: "The version of this format." }),
      kind: Type.Literal("RAGPipeline", { description: "What the document describes." }),
      metadata: closed(
        { name: objectName({ description: "The pipeline's name; unique among loaded pipelines." }) },
        { description: "Who the pipeline is to the system." },
      ),
      spec: closed(
        {
          description: Type.Optional(text(4096, { description: "What the documents are about." })),
          collection: Type.Optional(name({ description: "The collection it fills; absent: metadata.name." })),
          chunking: chunking(registries),
          embeddings: embeddings(registries),
          vector_store: vectorStore(registries),
          reranking: reranking(registries),
          retrieval,
          text_recognition: Type.Optional(
            closed(
              {
                languages: list(
                  Type.String({
                    pattern: "^[a-z]{3}(_[a-z]{3,8})?$",
                    description: "A language, such as `eng`.",
                  }),
                  5,
                  { description: "Languages of the pages, most frequent first." },
                ),
              },
              {
                description:
                  "Reads pages of PDFs that are pictures. Installs tesseract.js-core and language data from npm at the first such page.",
              },
            ),
          ),
          sources: list(source, 256, {
            description: "Files kept in step by `argosy rag sync`.",
            default: [],
          }),
        },
        { description: "How documents are read and found.", default: {} },
      ),
    },
    { title: "RAGPipeline", description: "A pipeline that reads documents and finds passages in them." },
  );

export type RagPipelineManifest = Static<ReturnType<typeof ragPipelineSchema>>;

/** `kind: RAGPipeline` as an executable with these registries can run it. */
export function ragPipelineKind(registries: RagRegistries): ManifestKind<RagPipelineManifest> {
  return {
    id: "rag-pipeline",
    schema: ragPipelineSchema(registries),
    rules({ spec }, report) {
      if (spec.chunking.overlap >= spec.chunking.chunk_size) {
        report(["spec", "chunking", "overlap"], `must be less than chunk_size (${spec.chunking.chunk_size})`);
      }
    },
  };
}
