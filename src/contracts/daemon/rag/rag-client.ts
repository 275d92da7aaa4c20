import type { PageQuery } from "../../page-query.ts";
import { queryString, segment } from "../../paths.ts";
import { ifMatch, type Tagged } from "../../tagged.ts";
import type {
  ChunkList,
  ChunkPreview,
  ChunkRequest,
  CollectionDeleted,
  CollectionList,
  CollectionView,
  DocumentDeleted,
  DocumentList,
  DocumentStored,
  DocumentView,
  IngestAnswer,
  IngestRequest,
  JobAccepted,
  QueryAnswer,
  QueryRequest,
  ReindexRequest,
} from "./rag.ts";
import type { RagJob, RagJobEnded, RagJobList } from "./rag-jobs.ts";
import type { PipelineDeleted, PipelineDetail, PipelineList } from "./rag-pipelines.ts";

/** A file to store as a document. */
export interface DocumentUpload {
  bytes: Uint8Array<ArrayBuffer>;
  /** The file's content type, for example `text/markdown` or `application/pdf`. If absent, it is detected from the name and the bytes. */
  contentType?: string;
  /** The file's name. */
  name?: string;
  metadata?: Record<string, unknown>;
  pipeline?: string;
  chunkSize?: number;
  chunkOverlap?: number;
}

/** Body of a call: JSON, or bytes with a content type. */
export interface RagSending {
  body?: unknown;
  bytes?: Uint8Array<ArrayBuffer>;
  text?: string;
  type?: string;
  signal?: AbortSignal | undefined;
  prefersAsync?: boolean;
  headers?: Readonly<Record<string, string>>;
}

export type RagCall = <T>(method: string, path: string, sending?: RagSending) => Promise<T>;

/** Methods of the daemon's client for documents and retrieval. */
export function ragClient(
  call: RagCall,
  tagged: <T>(method: string, path: string, sending?: RagSending) => Promise<Tagged<T>>,
) {
  const collectionPath = (name: string) => `/v1/rag/collections/${segment(name)}`;
  const documentPath = (collection: string, id: string) =>
    `${collectionPath(collection)}/documents/${segment(id)}`;
  const pipelinePath = (name: string) => `/v1/rag/pipelines/${segment(name)}`;
  const jobPath = (id: string) => `/v1/rag/jobs/${segment(id)}`;
  return {
    ragIngest: (request: IngestRequest & { async?: false }, signal?: AbortSignal) =>
      call<IngestAnswer>("POST", "/v1/rag/ingest", { body: request, signal }),
    /** Like `ragIngest`, as a job. */
    startRagIngest: (request: IngestRequest) =>
      call<JobAccepted>("POST", "/v1/rag/ingest", { body: { ...request, async: true } }),
    ragQuery: (request: QueryRequest, signal?: AbortSignal) =>
      call<QueryAnswer>("POST", "/v1/rag/query", { body: request, signal }),
    previewChunks: (request: ChunkRequest) => call<ChunkPreview>("POST", "/v1/rag/chunk", { body: request }),
    listCollections: () => call<CollectionList>("GET", "/v1/rag/collections"),
    getCollection: (name: string) => call<CollectionView>("GET", collectionPath(name)),
    deleteCollection: (name: string) => call<CollectionDeleted>("DELETE", collectionPath(name)),
    reindexCollection: (name: string, request: ReindexRequest = {}) =>
      call<JobAccepted>("POST", `${collectionPath(name)}/reindex`, { body: request }),
    listDocuments: (collection: string, page: PageQuery = {}) =>
      call<DocumentList>("GET", `${collectionPath(collection)}/documents${queryString(page)}`),
    getDocument: (collection: string, id: string) => call<DocumentView>("GET", documentPath(collection, id)),
    /** Stores a file's text as the document with this id, replacing an existing one. */
    putDocument: (collection: string, id: string, upload: DocumentUpload, signal?: AbortSignal) =>
      call<DocumentStored>("PUT", `${documentPath(collection, id)}${uploadQuery(upload)}`, {
        bytes: upload.bytes,
        type: upload.contentType ?? "application/octet-stream",
        signal,
      }),
    /** Like `putDocument`, as a job that starts when the file was sent. */
    startPutDocument: (collection: string, id: string, upload: DocumentUpload, signal?: AbortSignal) =>
      call<JobAccepted>("PUT", `${documentPath(collection, id)}${uploadQuery(upload)}`, {
        bytes: upload.bytes,
        type: upload.contentType ?? "application/octet-stream",
        signal,
        prefersAsync: true,
      }),
    deleteDocument: (collection: string, id: string) =>
      call<DocumentDeleted>("DELETE", documentPath(collection, id)),
    listChunks: (collection: string, id: string, page: PageQuery = {}) =>
      call<ChunkList>("GET", `${documentPath(collection, id)}/chunks${queryString(page)}`),
    listRagJobs: (limit?: number) => call<RagJobList>("GET", `/v1/rag/jobs${queryString({ limit })}`),
    getRagJob: (id: string) => call<RagJob>("GET", jobPath(id)),
    /** Cancels a job, or deletes one that has ended. */
    endRagJob: (id: string) => call<RagJobEnded>("DELETE", jobPath(id)),
    listPipelines: () => call<PipelineList>("GET", "/v1/rag/pipelines"),
    getPipeline: (name: string) => call<PipelineDetail>("GET", pipelinePath(name)),
    createPipeline: (manifest: string) =>
      call<PipelineDetail>("POST", "/v1/rag/pipelines", { text: manifest, type: "application/yaml" }),
    readPipeline: (name: string) => tagged<PipelineDetail>("GET", pipelinePath(name)),
    /** `match`: refuses with `version_changed` unless the pipeline still has this tag. */
    replacePipeline: (name: string, manifest: string, match?: string) =>
      call<PipelineDetail>("PUT", pipelinePath(name), {
        text: manifest,
        type: "application/yaml",
        headers: ifMatch(match),
      }),
    deletePipeline: (name: string) => call<PipelineDeleted>("DELETE", pipelinePath(name)),
  };
}

function uploadQuery({ name, metadata, pipeline, chunkSize, chunkOverlap }: DocumentUpload): string {
  return queryString({
    name,
    metadata: metadata === undefined ? undefined : JSON.stringify(metadata),
    pipeline,
    chunk_size: chunkSize,
    chunk_overlap: chunkOverlap,
  });
}
