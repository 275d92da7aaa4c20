import type { RagPipelineManifest } from "../../../../manifest/rag-pipeline.ts";
import { lostSection } from "../lost-section.ts";
import { bind, type ResourceReference } from "../reference.ts";
import { type SectionRow, sectionTable } from "../section-table.ts";
import { bedrockName, shortName } from "./bedrock-names.ts";
import { bedrockRole, roleType } from "./role.ts";
import { vectorBucket } from "./vector-bucket.ts";

/*
 * A knowledge base of Amazon Bedrock over an index of S3 Vectors, by the bodies of CreateKnowledgeBase and CreateIndex.
 */

const knowledgeBase = "bedrock.knowledge_base";
const index = "s3vectors.index";

const embeddingByDefault = { model: "amazon.titan-embed-text-v2:0", dimension: 1024 };

/** Longest vectors of S3 Vectors. */
const dimensionMax = 4096;

type Row = SectionRow<RagPipelineManifest>;

const nameOf =
  (suffix: string) =>
  ({ metadata }: RagPipelineManifest) =>
    `${metadata.name}-${suffix}`;
const indexName = nameOf("index");
const roleName = nameOf("role");
const baseName = nameOf("knowledge-base");

const own = ({ metadata }: RagPipelineManifest, resource_type: string, name: string): ResourceReference => ({
  kind: "RAGPipeline",
  spec: metadata.name,
  resource_type,
  name,
});

/** The embedding model; local embedders have no counterpart. */
const embeddingOf = ({ spec: { embeddings } }: RagPipelineManifest) =>
  embeddings.provider === "local_hash" || embeddings.model === undefined
    ? embeddingByDefault
    : {
        model: embeddings.model,
        dimension: Math.min(embeddings.dimension ?? embeddingByDefault.dimension, dimensionMax),
      };

const rows: Row[] = [
  {
    section: "corpus",
    keys: ["apiVersion", "kind", "metadata", "spec.description", "spec.collection"],
    coverage: "supported",
    into: {
      [knowledgeBase](config, { spec }) {
        if (spec.collection !== undefined) config.name = bedrockName(spec.collection);
        if (spec.description !== undefined) config.description = spec.description.slice(0, 200);
      },
    },
  },
  lostSection(
    "chunking",
    ["spec.chunking"],
    "Bedrock cuts documents as its data source says, which isn't translated. Set chunk size and overlap there.",
  ),
  {
    section: "embeddings",
    keys: ["spec.embeddings"],
    coverage: "partial",
    detail: () =>
      `The model's name and dimension, at most ${dimensionMax}, are taken, and Bedrock must offer it; without one, and for local embedders, it is ${embeddingByDefault.model}. Provider, endpoint and key don't apply.`,
  },
  {
    section: "vector_store",
    keys: ["spec.vector_store"],
    coverage: "partial",
    detail: () => "Vectors are kept in S3 Vectors, whatever the backend. Nothing is moved there.",
  },
  lostSection(
    "reranking",
    ["spec.reranking"],
    "Bedrock reranks when the caller asks for it. Name a reranking model in your calls of Retrieve.",
  ),
  lostSection(
    "retrieval",
    ["spec.retrieval"],
    "Bedrock takes the number of results and filters with each call of Retrieve. Pass them in your calls.",
  ),
  lostSection(
    "text_recognition",
    ["spec.text_recognition"],
    "Pages that are pictures aren't recognized by Argosy. Choose a parser of Bedrock that reads them.",
  ),
  lostSection(
    "sources",
    ["spec.sources"],
    "Documents aren't uploaded. Add a data source, such as an S3 bucket.",
  ),
];

/** `kind: RAGPipeline` on Amazon Web Services. */
export const pipelineTable = sectionTable<RagPipelineManifest>({
  resources: [
    {
      resource_type: index,
      source_section: "vector_store",
      name: indexName,
      config: (manifest) => ({
        vectorBucketName: vectorBucket,
        indexName: shortName(indexName(manifest), 63),
        dataType: "float32",
        dimension: embeddingOf(manifest).dimension,
        distanceMetric: "cosine",
      }),
    },
    {
      resource_type: roleType,
      source_section: "metadata",
      name: roleName,
      config: (manifest) => bedrockRole(roleName(manifest)),
    },
    {
      resource_type: knowledgeBase,
      source_section: "metadata",
      name: baseName,
      config: (manifest) => ({
        name: bedrockName(manifest.metadata.name),
        knowledgeBaseConfiguration: {
          type: "VECTOR",
          vectorKnowledgeBaseConfiguration: {
            embeddingModelArn: `arn:aws:bedrock:::foundation-model/${embeddingOf(manifest).model}`,
          },
        },
      }),
      finish(config, manifest) {
        config.roleArn = bind(config, own(manifest, roleType, roleName(manifest)));
        config.storageConfiguration = {
          type: "S3_VECTORS",
          s3VectorsConfiguration: { indexArn: bind(config, own(manifest, index, indexName(manifest))) },
        };
      },
    },
  ],
  sections: rows,
});
