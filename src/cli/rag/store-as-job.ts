import type { DocumentStored } from "../../contracts/daemon/rag/rag.ts";
import type { DocumentUpload } from "../../contracts/daemon/rag/rag-client.ts";
import type { RagJob } from "../../contracts/daemon/rag/rag-jobs.ts";
import { AppError } from "../../kit/app-error.ts";
import { sleep, systemClock } from "../../kit/clock.ts";
import type { Client } from "./target.ts";

const lookMs = 500;

export type JobClient = Pick<Client, "startPutDocument" | "getRagJob" | "endRagJob" | "getDocument">;

/** Stores a file by a job, and tells the page that text recognition reads. The job is cancelled if the signal aborts. */
export async function storeAsJob(
  client: JobClient,
  { collection, id, upload }: { collection: string; id: string; upload: DocumentUpload },
  reading: (at: { page: number; pages: number }) => void,
  signal: AbortSignal,
): Promise<Pick<DocumentStored, "status" | "chunks" | "losses">> {
  const isKnown = await isThere(client, collection, id);
  const { job_id } = await client.startPutDocument(collection, id, upload, signal);
  try {
    for (;;) {
      const job = await client.getRagJob(job_id);
      if (job.status !== "queued" && job.status !== "running") return outcomeOf(job, isKnown);
      if (job.reading !== undefined) reading(job.reading);
      await sleep(systemClock, lookMs, signal);
    }
  } catch (thrown) {
    if (signal.aborted) await client.endRagJob(job_id).catch(() => undefined);
    throw thrown;
  }
}

async function isThere(client: JobClient, collection: string, id: string): Promise<boolean> {
  try {
    await client.getDocument(collection, id);
    return true;
  } catch (thrown) {
    if (thrown instanceof AppError && thrown.kind === "not_found") return false;
    throw thrown;
  }
}

/** Faults of a file itself, after which the other files go on. */
const ownFaults: ReadonlySet<string> = new Set([
  "document_unreadable",
  "document_too_large",
  "unsupported_media_type",
]);

function outcomeOf({ status, chunks, losses, failed, error }: RagJob, isKnown: boolean) {
  const fault = error ?? failed[0];
  if (status !== "completed" || fault !== undefined)
    throw new AppError(
      ownFaults.has(fault?.error ?? "") ? "unprocessable" : "unavailable",
      fault?.error ?? `job_${status}`,
      fault?.message ?? `The job ended as ${status}.`,
    );
  return {
    status: isKnown ? (chunks === 0 ? ("unchanged" as const) : ("replaced" as const)) : ("created" as const),
    chunks,
    ...(losses !== undefined && { losses: losses.map(({ id: _, ...loss }) => loss) }),
  };
}
