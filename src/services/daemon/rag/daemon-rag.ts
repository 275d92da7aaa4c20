import type { UploadBudget } from "../../../http/bodies/upload.ts";
import type { AppError } from "../../../kit/app-error.ts";
import type { AdmissionGate } from "../../../kit/concurrency/admission-gate.ts";
import type { ChunkingSettings } from "../../../retrieval/chunking/chunker.ts";
import type { DocumentReader } from "../../../retrieval/files/document-reader.ts";
import type { CollectionQuota } from "../../../retrieval/rag/collections/collection-quota.ts";
import type { CheckedDocument } from "../../../retrieval/rag/ingest/document-content.ts";
import { ingestDocuments } from "../../../retrieval/rag/ingest/ingest-documents.ts";
import type { IngestedDocument } from "../../../retrieval/rag/ingest/write-documents.ts";
import {
  defaultPipeline,
  type PipelineParts,
  type RagPipeline,
} from "../../../retrieval/rag/rag-pipeline.ts";
import type { RagPorts } from "../../../retrieval/rag/rag-ports.ts";
import {
  type FoundPassage,
  findPassages,
  type PassageQuery,
} from "../../../retrieval/rag/search/find-passages.ts";
import type { VectorStore } from "../../../retrieval/stores/vector-store.ts";
import { operatorTenant } from "../operator-tenant.ts";
import type { RagJobs } from "./jobs/rag-jobs.ts";
import type { PipelineLibrary } from "./pipelines/pipeline-library.ts";
import type { RagMetrics } from "./rag-metrics.ts";

/** Parts that all operations on documents use. */
export interface DaemonRag {
  ports: RagPorts;
  parts: PipelineParts;
  /** Returns the store with that id; undefined if no settings name it. */
  storeById: (storeId: string) => VectorStore | undefined;
  pipelines: PipelineLibrary;
  jobs: RagJobs;
  /** Limits the number of concurrent ingests, so that runs stay fast. */
  gate: AdmissionGate;
  /** Runs an ingest when there is a place for it. */
  turn: IngestTurn;
  uploads: Pick<UploadBudget, "take">;
  reader: DocumentReader;
  metrics: RagMetrics;
}

/** Does a tenant's work when its turn has come, unless `signal` aborts before. */
export type IngestTurn = <T>(tenant: string, signal: AbortSignal, work: () => Promise<T>) => Promise<T>;

/** Turns in the order of arrival. */
export const turnsAt =
  (gate: AdmissionGate): IngestTurn =>
  async (_tenant, signal, work) => {
    const leave = await gate.enter(signal);
    try {
      return await work();
    } finally {
      leave();
    }
  };

/** Which collection is meant, and by whose settings. */
export interface Aim {
  tenant: string;
  collection?: string | undefined;
  pipeline?: string | undefined;
}

/**
 * Returns the pipeline for a request: the one it names, the one that fills the collection, or the defaults. Throws AppError
 * `pipeline_not_found` (404) or `pipeline_failed` (503). Files belong to the operator; other tenants always get the defaults.
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

/** As `pipelineFor`, for a caller's request, after a look at the files if it names a pipeline that can't run. */
export async function pipelineAsked(
  rag: Pick<DaemonRag, "pipelines" | "parts">,
  aim: Aim,
): Promise<RagPipeline> {
  if (aim.tenant === operatorTenant && aim.pipeline !== undefined)
    await rag.pipelines.findFresh(aim.pipeline);
  return pipelineFor(rag, aim);
}

/** Documents to ingest, with options and callbacks. */
export interface IngestOrder extends Aim {
  documents: readonly CheckedDocument[];
  chunking?: ChunkingSettings | undefined;
  quota?: CollectionQuota | undefined;
  signal: AbortSignal;
  taken?: (index: number, document: IngestedDocument) => void;
  refused?: (index: number, id: string, error: AppError) => void;
}

/** Ingests documents and counts them in the metrics. The caller must have entered the gate. */
export async function ingestCounted(rag: DaemonRag, order: IngestOrder): Promise<void> {
  const pipeline = pipelineFor(rag, order);
  const { tenant, chunking, quota, signal, documents } = order;
  const collection = order.collection ?? pipeline.collection;
  const { metrics } = rag;
  try {
    await ingestDocuments(rag.ports, pipeline, documents, {
      tenant,
      collection,
      chunking,
      quota,
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
export const ingestInTurn = (rag: DaemonRag, order: IngestOrder): Promise<void> =>
  rag.turn(order.tenant, order.signal, () => ingestCounted(rag, order));

/** Returns the passages that match a question best and counts the search. Returns undefined if the collection doesn't exist. */
export async function searchCounted(
  rag: DaemonRag,
  pipeline: RagPipeline,
  question: PassageQuery,
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
