import { Type } from "@sinclair/typebox";
import type { DocumentStored, JobAccepted } from "../../../../contracts/daemon/rag/rag.ts";
import { roomFor, type Upload } from "../../../../http/bodies/upload.ts";
import { type Call, holdOpen } from "../../../../http/call.ts";
import { AppError } from "../../../../kit/app-error.ts";
import { isRecord } from "../../../../kit/json/is-record.ts";
import { parseStrictJson } from "../../../../kit/json/strict-json.ts";
import type { ChunkingSettings } from "../../../../retrieval/chunking/chunker.ts";
import type { PageProgress } from "../../../../retrieval/files/document-file.ts";
import type { CollectionQuota } from "../../../../retrieval/rag/collections/collection-quota.ts";
import { checkDocument } from "../../../../retrieval/rag/ingest/document-content.ts";
import type { IngestedDocument } from "../../../../retrieval/rag/ingest/write-documents.ts";
import { operatorTenant } from "../../operator-tenant.ts";
import { type Aim, type DaemonRag, ingestCounted, pipelineAsked, pipelineFor } from "../daemon-rag.ts";
import { chunkingOf, prefersAsync } from "../ingest-request.ts";
import type { JobReport } from "../jobs/rag-jobs.ts";

const whole = (description: string) =>
  Type.Optional(Type.String({ pattern: "^[0-9]{1,6}$", description, fault: "must be a whole number" }));

export const UploadQuery = Type.Object({
  name: Type.Optional(
    Type.String({ maxLength: 1024, description: "Name of the file, used as a hint for the file type." }),
  ),
  metadata: Type.Optional(
    Type.String({
      maxLength: 8192,
      description: "JSON object merged into the metadata of the file. Its fields override those of the file.",
    }),
  ),
  pipeline: Type.Optional(Type.String({ maxLength: 63, description: "Pipeline whose settings are used." })),
  chunk_size: whole("Maximum chunk size, in characters."),
  chunk_overlap: whole("Maximum overlap of adjacent chunks, in characters. Must be less than `chunk_size`."),
});
export type UploadQuery = typeof UploadQuery.static;

/** Size limit of one file, in bytes. */
const fileBytesMax = 64 * 1024 * 1024;

export interface UploadDeps {
  rag: DaemonRag;
  /** Aborts when the time for a graceful stop is over. */
  stopping: AbortSignal;
}

export interface DocumentPut {
  collection: string;
  id: string;
  query: UploadQuery;
  upload: Upload;
  request: Request;
  call: Call;
}

/** Reads a file and stores its text as the document with this id. */
export async function putDocument(
  { rag, stopping }: UploadDeps,
  tenant: string,
  { collection, id, query, upload, request, call }: DocumentPut,
): Promise<DocumentStored | JobAccepted> {
  const aim: Aim = { tenant, collection, pipeline: query.pipeline };
  const chunking = chunkingOf(await pipelineAsked(rag, aim), {
    ...(query.chunk_size !== undefined && { chunk_size: size(query.chunk_size) }),
    ...(query.chunk_overlap !== undefined && { chunk_overlap: Number(query.chunk_overlap) }),
  });
  const said = readMetadata(query.metadata);
  const giveBack = rag.uploads.take(roomFor(upload, fileBytesMax));
  try {
    const bytes = await upload.read(fileBytesMax);
    const file = { bytes, contentType: upload.contentType, name: query.name ?? id };
    const take = (signal: AbortSignal, progressed?: (at: PageProgress) => void) =>
      takeFile(rag, { aim, id, file: { ...file, progressed }, said, chunking, signal });
    if (prefersAsync(request.headers)) {
      const order = { kind: "ingest" as const, collection, documentsTotal: 1 };
      const work = async (report: JobReport, signal: AbortSignal) => {
        const { outcome } = await take(signal, (at) => report.reading(at));
        report.taken(outcome.status === "unchanged" ? 0 : outcome.chunks, outcome);
      };
      const job = await rag.jobs.start(tenant, order, work, giveBack);
      return { job_id: job, status: "queued" };
    }
    holdOpen(call, request);
    const signal = AbortSignal.any([request.signal, stopping]);
    const { outcome, title } = await rag.turn(tenant, signal, () => take(signal));
    giveBack();
    return presentStored(collection, outcome, title);
  } catch (thrown) {
    giveBack();
    throw thrown;
  }
}

/** The answer for a stored file. */
export function presentStored(
  collection: string,
  { id, status, chunks, characters, losses }: IngestedDocument,
  title: string | undefined,
): DocumentStored {
  const told = { ...(title !== undefined && { title }), ...(losses.length > 0 && { losses: [...losses] }) };
  return { collection, id, status, chunks, characters, ...told };
}

/** A file, and what is to become of it. */
export interface FileOrder {
  aim: Aim;
  id: string;
  file: {
    bytes: Uint8Array;
    contentType: string | undefined;
    name: string;
    progressed?: ((at: PageProgress) => void) | undefined;
  };
  said: Record<string, unknown>;
  chunking: ChunkingSettings;
  quota?: CollectionQuota | undefined;
  signal: AbortSignal;
}

/** Reads a file and takes what it says; the caller's turn has come. */
export async function takeFile(
  rag: DaemonRag,
  { aim, id, file, said, chunking, quota, signal }: FileOrder,
): Promise<{ outcome: IngestedDocument; title: string | undefined }> {
  const { recognized = [] } = pipelineFor(rag, aim);
  const read = await rag.reader.read({ ...file, recognized }, signal, readerOf(aim));
  const { text, title, metadata, places, losses } = read;
  const known = { ...(title !== undefined && { title }), ...metadata, ...said };
  const document = await checkDocument({ id, text, metadata: known, places, losses });
  let outcome: IngestedDocument | undefined;
  await ingestCounted(rag, {
    ...aim,
    documents: [document],
    chunking,
    quota,
    signal,
    taken: (_index, taken) => {
      outcome = taken;
    },
  });
  if (outcome === undefined) throw new Error("An ingest ended without its document.");
  return { outcome, title };
}

/** Whose file waits for whose: a tenant is one owner however many collections it has. */
const readerOf = ({ tenant, collection }: Aim): string =>
  tenant === operatorTenant ? JSON.stringify([tenant, collection]) : tenant;

function size(digits: string): number {
  const value = Number(digits);
  if (value >= 1 && value <= 100_000) return value;
  throw new AppError("invalid", "invalid_request", "chunk_size must be from 1 to 100000.", {
    details: { problems: [{ path: "chunk_size", message: "must be from 1 to 100000" }] },
  });
}

/** The object that a query parameter holds as JSON; throws AppError `invalid_request`. */
export function readMetadata(json: string | undefined): Record<string, unknown> {
  if (json === undefined) return {};
  const value = parseStrictJson(json);
  if (isRecord(value)) {
    return value;
  }
  throw new AppError("invalid", "invalid_request", "metadata must be a JSON object.", {
    details: { problems: [{ path: "metadata", message: "must be a JSON object" }] },
  });
}
