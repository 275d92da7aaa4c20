import type { IngestAnswer, IngestRequest, JobAccepted } from "../../../contracts/daemon/rag/rag.ts";
import { AppError, toAppError } from "../../../kit/app-error.ts";
import type { ChunkingSettings } from "../../../retrieval/chunking/chunker.ts";
import { requireSound } from "../../../retrieval/rag/ingest/cut-document.ts";
import { type CheckedDocument, checkDocuments } from "../../../retrieval/rag/ingest/document-content.ts";
import type { IngestedDocument } from "../../../retrieval/rag/ingest/write-documents.ts";
import type { RagPipeline } from "../../../retrieval/rag/rag-pipeline.ts";
import { type DaemonRag, ingestCounted, ingestInTurn, pipelineAsked } from "./daemon-rag.ts";

/** Ingests the documents of a request. If it fails partway, the error contains the number of documents stored. */
export async function ingestNow(
  rag: DaemonRag,
  tenant: string,
  request: IngestRequest,
  signal: AbortSignal,
): Promise<IngestAnswer> {
  const { collection, pipeline } = request;
  const { documents, chunking } = await checkRequest(rag, tenant, request);
  const outcomes: IngestedDocument[] = [];
  const taken = (index: number, outcome: IngestedDocument) => {
    outcomes[index] = outcome;
  };
  try {
    await ingestInTurn(rag, { tenant, collection, pipeline, documents, chunking, signal, taken });
  } catch (thrown) {
    throw withProgress(thrown, Object.keys(outcomes).length, documents.length);
  }
  return {
    collection,
    documents_ingested: outcomes.length,
    chunks_created: outcomes.reduce(
      (sum, { status, chunks }) => sum + (status === "unchanged" ? 0 : chunks),
      0,
    ),
    documents: outcomes.map(({ id, status, chunks }) => ({ id, status, chunks })),
  };
}

/** Like `ingestNow`, as a job. Errors in the request itself are reported at once. */
export async function ingestLater(
  rag: DaemonRag,
  tenant: string,
  request: IngestRequest,
): Promise<JobAccepted> {
  const { collection, pipeline } = request;
  const { documents, chunking } = await checkRequest(rag, tenant, request);
  const order = { kind: "ingest" as const, collection, documentsTotal: documents.length };
  const id = await rag.jobs.start(tenant, order, (report, signal) =>
    ingestCounted(rag, {
      tenant,
      collection,
      pipeline,
      documents,
      chunking,
      signal,
      taken: (_index, { status, chunks, ...document }) =>
        report.taken(status === "unchanged" ? 0 : chunks, document),
      refused: report.refused,
    }),
  );
  return { job_id: id, status: "queued" };
}

interface CheckedRequest {
  documents: CheckedDocument[];
  chunking: ChunkingSettings;
}

async function checkRequest(rag: DaemonRag, tenant: string, request: IngestRequest): Promise<CheckedRequest> {
  const { collection, pipeline } = request;
  const chunking = chunkingOf(await pipelineAsked(rag, { tenant, collection, pipeline }), request);
  return { chunking, documents: await checkDocuments(request.documents) };
}

/** Combines a pipeline's chunking settings with those of a request. Throws AppError `invalid_request` if they contradict each other. */
export function chunkingOf(
  { chunking }: RagPipeline,
  said: { chunk_size?: number; chunk_overlap?: number; strategy?: string },
): ChunkingSettings {
  const size = said.chunk_size ?? chunking.chunk_size;
  // If only the size is given, the default overlap is reduced to fit.
  const fitting = chunking.overlap < size ? chunking.overlap : Math.floor(size / 10);
  const overlap = said.chunk_overlap ?? fitting;
  const changed = { ...chunking, strategy: said.strategy ?? chunking.strategy, chunk_size: size, overlap };
  requireSound(changed);
  return changed;
}

function withProgress(thrown: unknown, done: number, total: number): AppError {
  const error = toAppError(thrown);
  if (done === 0) return error;
  const { kind, code, message, details, cause } = error;
  const progress = `${done} of ${total} documents are stored; the same request skips them.`;
  const hint = details.hint === undefined ? progress : `${details.hint} ${progress}`;
  return new AppError(kind, code, message, { details: { ...details, hint }, cause });
}

/** Returns true if the caller requests an answer before the work is done (RFC 7240). */
export function prefersAsync(headers: Headers): boolean {
  const preferences = headers.get("prefer") ?? "";
  return preferences.split(",").some((one) => /^\s*respond-async\s*(?:;|$)/i.test(one));
}
