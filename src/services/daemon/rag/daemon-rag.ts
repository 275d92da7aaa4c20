import type { AdmissionGate } from "../../../kit/admission-gate.ts";
import type { AppError } from "../../../kit/app-error.ts";
import type { ChunkingSettings } from "../../../retrieval/chunking/chunker.ts";
import type { DocumentReader } from "../../../retrieval/files/document-reader.ts";
import type { CheckedDocument } from "../../../retrieval/rag/document-content.ts";
import { type FoundPassage, findPassages, type Question } from "../../../retrieval/rag/find-passages.ts";
import { type IngestedDocument, ingestDocuments } from "../../../retrieval/rag/ingest-documents.ts";
import {
  defaultPipeline,
  type PipelineParts,
  type RagPipeline,
} from "../../../retrieval/rag/rag-pipeline.ts";
import type { RagPorts } from "../../../retrieval/rag/rag-ports.ts";
import type { VectorStore } from "../../../retrieval/stores/vector-store.ts";
import { operatorTenant } from "../deps.ts";
import type { PipelineLibrary } from "./pipeline-library.ts";
import type { RagJobs } from "./rag-jobs.ts";
import type { RagMetrics } from "./rag-metrics.ts";
import type { UploadBudget } from "./upload-budget.ts";

/** Everything that is done with documents goes through this. */
export interface DaemonRag {
  ports: RagPorts;
  parts: PipelineParts;
  /** The store with that id; undefined while no settings name it. */
  storeById: (storeId: string) => VectorStore | undefined;
  pipelines: PipelineLibrary;
  jobs: RagJobs;
  /** Bounds the ingests in work, so that runs stay quick beside them. */
  gate: AdmissionGate;
  uploads: UploadBudget;
  reader: DocumentReader;
  metrics: RagMetrics;
}

/** Which collection is meant, and by whose settings. */
export interface Aim {
  tenant: string;
  collection?: string | undefined;
  pipeline?: string | undefined;
}

/**
 * The pipeline that a request means: the one it names, the one that fills the collection, or the defaults. Throws AppError
 * `pipeline_not_found` (404) or `pipeline_failed` (503). Files belong to the operator: other tenants have the defaults alone.
 */
export function pipelineFor(
  { pipelines, parts }: Pick<DaemonRag, "pipelines" | "parts">,
  { tenant, collection, pipeline }: Aim,
): RagPipeline {
  if (tenant === operatorTenant) {
    if (pipeline !== undefined) return pipelines.get(pipeline);
    const filler = pipelines.fillerOf(collection ?? "");
    if (filler !== undefined) return filler;
  }
  return defaultPipeline(collection ?? "", parts);
}

/** What an ingest is to do. */
export interface IngestOrder extends Aim {
  documents: readonly CheckedDocument[];
  chunking?: ChunkingSettings | undefined;
  signal: AbortSignal;
  taken?: (index: number, document: IngestedDocument) => void;
  refused?: (index: number, id: string, error: AppError) => void;
}

/** Takes documents, counted; the caller has entered the gate. */
export async function ingestCounted(rag: DaemonRag, order: IngestOrder): Promise<void> {
  const pipeline = pipelineFor(rag, order);
  const { tenant, chunking, signal, documents } = order;
  const collection = order.collection ?? pipeline.collection;
  const { metrics } = rag;
  try {
    await ingestDocuments(rag.ports, pipeline, documents, {
      tenant,
      collection,
      chunking,
      signal,
      taken(index, document) {
        metrics.ingested(document.status, document.chunks);
        order.taken?.(index, document);
      },
      ...(order.refused && {
        refused(index: number, id: string, error: AppError) {
          metrics.failed();
          order.refused?.(index, id, error);
        },
      }),
    });
  } catch (thrown) {
    metrics.failed();
    throw thrown;
  }
}

/** `ingestCounted` once there is a place for it. */
export async function ingestInTurn(rag: DaemonRag, order: IngestOrder): Promise<void> {
  const leave = await rag.gate.enter(order.signal);
  try {
    await ingestCounted(rag, order);
  } finally {
    leave();
  }
}

/** The passages that fit a question best, counted; undefined when there is no such collection. */
export async function searchCounted(
  rag: DaemonRag,
  pipeline: RagPipeline,
  question: Question,
): Promise<FoundPassage[] | undefined> {
  const { clock } = rag.ports;
  const fromMs = clock.monotonicMs();
  let isFound = false;
  try {
    const passages = await findPassages(rag.ports, pipeline, question);
    isFound = true;
    return passages;
  } finally {
    rag.metrics.searched(question.mode ?? "default", isFound, clock.monotonicMs() - fromMs);
  }
}
