import type { RagPipelineManifest } from "../../../../manifest/rag-pipeline.ts";
import { lostSection } from "../lost-section.ts";
import { type JsonObject, type SectionRow, sectionTable } from "../section-table.ts";

const corpus = "vertex.rag_corpus";

/** Characters of a token, for sizes that Vertex AI counts in tokens: Google's own rule of thumb for English. */
const charactersPerToken = 4;
const tokens = (characters: number) => Math.max(1, Math.round(characters / charactersPerToken));

const embeddingEndpoint = (model: string) => `publishers/google/models/${model}`;
const embeddingByDefault = "text-embedding-005";

type Row = SectionRow<RagPipelineManifest>;

const rows: Row[] = [
  {
    section: "corpus",
    keys: ["apiVersion", "kind", "metadata", "spec.description", "spec.collection"],
    coverage: "supported",
    into: {
      [corpus](config, { spec }) {
        if (spec.collection !== undefined) config.display_name = spec.collection;
        if (spec.description !== undefined) config.description = spec.description;
      },
    },
  },
  { section: "chunking", keys: ["spec.chunking"], coverage: "supported" },
  {
    section: "chunking.strategy",
    keys: ["spec.chunking.strategy", "spec.chunking.separators", "spec.chunking.similarity_threshold"],
    // Vertex AI itself cuts at fixed lengths, where the other two keys have no meaning.
    when: ({ spec }) => spec.chunking.strategy !== "fixed",
    coverage: "unsupported",
    detail: () =>
      "Vertex AI cuts at fixed lengths, whatever the strategy. Set strategy to fixed, or cut documents before you import them.",
  },
  {
    section: "embeddings",
    keys: ["spec.embeddings"],
    coverage: "partial",
    detail: () =>
      `The model's name is taken, and Vertex AI must offer it; without one, and for local embedders, it is ${embeddingByDefault}. Provider, endpoint, key and dimension don't apply.`,
  },
  {
    section: "vector_store",
    keys: ["spec.vector_store"],
    coverage: "partial",
    detail: () =>
      "Vectors are kept in the database that Vertex AI manages, whatever the backend. Nothing is moved there.",
  },
  {
    section: "reranking",
    keys: ["spec.reranking"],
    coverage: "partial",
    detail: () =>
      "Vertex AI's ranking service orders results in place of the configured model; the number of results stays.",
    into: {
      [corpus](config, { spec: { reranking } }) {
        if (!reranking.enabled) return;
        const retrieval = retrievalOf(config);
        retrieval.ranking = { rank_service: { model_name: "semantic-ranker-default@latest" } };
        if (reranking.top_k !== undefined) retrieval.top_k = reranking.top_k;
      },
    },
  },
  {
    section: "retrieval",
    keys: ["spec.retrieval"],
    coverage: "supported",
    into: {
      [corpus](config, { spec: { retrieval } }) {
        if (retrieval.mode === "hybrid") retrievalOf(config).hybrid_search = { alpha: 0.5 };
        if (retrieval.similarity_threshold > 0)
          filterOf(config).vector_similarity_threshold = retrieval.similarity_threshold;
        const filters = Object.entries(retrieval.filters).filter(([, value]) => isScalar(value));
        if (filters.length > 0) filterOf(config).metadata_filter = filters.map(condition).join(" AND ");
      },
    },
  },
  {
    section: "retrieval.mode",
    keys: ["spec.retrieval.mode"],
    when: ({ spec }) => spec.retrieval.mode === "text",
    coverage: "partial",
    detail: () =>
      "Vertex AI can't search by words alone: it searches by vectors. Set mode to hybrid to use both.",
  },
  {
    section: "retrieval.filters",
    keys: ["spec.retrieval.filters"],
    when: ({ spec }) => !Object.values(spec.retrieval.filters).every(isScalar),
    coverage: "partial",
    detail: () =>
      "Filters by lists and mappings aren't sent. Use one filter with a text, number or boolean for each key.",
  },
  lostSection(
    "text_recognition",
    ["spec.text_recognition"],
    "Pages that are pictures aren't recognized by Argosy. Use a parser with layout recognition.",
  ),
  lostSection(
    "sources",
    ["spec.sources"],
    "Documents aren't uploaded. Import them into the corpus from Cloud Storage or Drive.",
  ),
];

const retrievalOf = (config: JsonObject) => config.rag_retrieval_config as JsonObject;

function filterOf(config: JsonObject): JsonObject {
  const retrieval = retrievalOf(config);
  retrieval.filter ??= {};
  return retrieval.filter as JsonObject;
}

const isScalar = (value: unknown): boolean => ["string", "number", "boolean"].includes(typeof value);

/** One condition of a metadata filter, with the value quoted. */
const condition = ([key, value]: [string, unknown]) =>
  `${key} = ${typeof value === "string" ? JSON.stringify(value) : String(value)}`;

/**
 * `kind: RAGPipeline` on Google Cloud. `rag_file_transformation_config` and `rag_retrieval_config` are parts of the calls that import into
 * the corpus and search it; they are kept with the corpus, because they belong to the pipeline.
 */
export const pipelineTable = sectionTable<RagPipelineManifest>({
  resources: [
    {
      resource_type: corpus,
      source_section: "metadata",
      name: ({ metadata }) => `${metadata.name}-corpus`,
      config: ({ metadata, spec: { chunking, embeddings, retrieval } }) => ({
        display_name: metadata.name,
        vector_db_config: {
          rag_managed_db: { knn: {} },
          rag_embedding_model_config: {
            vertex_prediction_endpoint: {
              endpoint: embeddingEndpoint(
                embeddings.provider === "local_hash"
                  ? embeddingByDefault
                  : (embeddings.model ?? embeddingByDefault),
              ),
            },
          },
        },
        rag_file_transformation_config: {
          rag_file_chunking_config: {
            fixed_length_chunking: {
              chunk_size: tokens(chunking.chunk_size),
              chunk_overlap: chunking.overlap === 0 ? 0 : tokens(chunking.overlap),
            },
          },
        },
        rag_retrieval_config: { top_k: retrieval.top_k },
      }),
    },
  ],
  sections: rows,
});
