import type { DocumentEntry } from "../../command/document-files.ts";
import { kindOfName, mayTakeLong } from "../../contracts/daemon/rag/document-types.ts";
import type { DocumentStored } from "../../contracts/daemon/rag/rag.ts";
import type { DocumentUpload } from "../../contracts/daemon/rag/rag-client.ts";
import { AppError, type ErrorKind, toAppError } from "../../kit/app-error.ts";
import { sleep, systemClock } from "../../kit/clock.ts";
import type { CommandCall } from "../call.ts";
import { paint } from "../terminal/paint.ts";
import { counted } from "../terminal/table.ts";
import { createProgress } from "./progress.ts";
import { type JobClient, storeAsJob } from "./store-as-job.ts";

export interface UploadPlan {
  collection: string;
  pipeline: string | undefined;
  entries: readonly DocumentEntry[];
  /** Returns further metadata of a document; `source` is its id. */
  metadataOf: (id: string) => Record<string, unknown>;
}

/** The outcome for the files that were sent. */
export interface UploadReport {
  created: string[];
  replaced: string[];
  unchanged: number;
  chunks: number;
  failed: { file: string; error: string; message: string }[];
  /** What readers of files noted: what a text lacks or shows differently. */
  losses: { file: string; kind: string; count: number; detail: string }[];
}

/** A service that keeps documents. */
export interface DocumentKeeper extends Partial<JobClient> {
  putDocument(
    collection: string,
    id: string,
    upload: DocumentUpload,
    signal: AbortSignal,
  ): Promise<DocumentStored>;
}

/** How many files are on their way at once. */
const IN_FLIGHT = 3;
const ATTEMPTS_MAX = 10;

/** Errors of these kinds concern a single file; any other would also affect the next files. */
const ownFaults: ReadonlySet<ErrorKind> = new Set(["invalid", "unprocessable", "too_large", "unsupported"]);

/**
 * Sends files, up to 3 at once, and reports the outcome of each. If a file has a fault, the fault is noted and the others continue. A fault
 * of the server, or the call's signal, ends the upload; `report` then has the files sent so far.
 */
export async function uploadDocuments(
  call: CommandCall,
  client: DocumentKeeper,
  plan: UploadPlan,
  report: UploadReport,
): Promise<void> {
  const progress = createProgress(call);
  const total = plan.entries.length;
  const waiting = plan.entries.values();
  const end = new AbortController();
  const signal = AbortSignal.any([call.signal, end.signal]);
  let done = 0;
  const sendNext = async () => {
    for (const entry of waiting) {
      if (signal.aborted) return;
      progress.show(done, total, entry.id);
      const reading = ({ page, pages }: { page: number; pages: number }) =>
        progress.show(done, total, `${entry.id}, recognizing page ${page} of ${pages}`);
      await send(call, client, plan, { entry, reading }, signal).then(
        (stored) => note(call, report, entry.id, stored, progress.clear),
        (thrown) => noteFault(call, report, entry.id, thrown, progress.clear),
      );
      done++;
      if (done < total) progress.show(done, total, entry.id);
    }
  };
  const ended = await Promise.allSettled(
    Array.from({ length: IN_FLIGHT }, () =>
      sendNext().catch((thrown) => {
        end.abort();
        throw thrown;
      }),
    ),
  );
  progress.clear();
  report.created.sort();
  report.replaced.sort();
  report.failed.sort((one, other) => (one.file < other.file ? -1 : 1));
  call.signal.throwIfAborted();
  const fault = ended.find((outcome) => outcome.status === "rejected");
  if (fault !== undefined) throw fault.reason;
}

type Stored = Pick<DocumentStored, "status" | "chunks" | "losses">;

async function send(
  { shell, screen }: CommandCall,
  client: DocumentKeeper,
  { collection, pipeline, metadataOf }: UploadPlan,
  { entry, reading }: { entry: DocumentEntry; reading: (at: { page: number; pages: number }) => void },
  signal: AbortSignal,
): Promise<Stored> {
  const upload = {
    bytes: await shell.parts.readDocumentFile(entry),
    name: entry.id,
    metadata: { source: entry.id, ...metadataOf(entry.id) },
    ...(entry.contentType !== undefined && { contentType: entry.contentType }),
    ...(pipeline !== undefined && { pipeline }),
  };
  const isLong = screen.hasReader && !screen.json && mayTakeLong(kindOfName(entry.id), upload.bytes.length);
  for (let attempt = 1; ; attempt++) {
    try {
      if (isLong && hasJobs(client))
        return await storeAsJob(client, { collection, id: entry.id, upload }, reading, signal);
      return await client.putDocument(collection, entry.id, upload, signal);
    } catch (thrown) {
      const asksToWait =
        thrown instanceof AppError && (thrown.code === "too_busy" || thrown.kind === "rate_limited");
      if (!asksToWait || attempt === ATTEMPTS_MAX) throw thrown;
      await sleep(systemClock, 1000 * (thrown.details.retryAfterSeconds ?? 1), signal);
    }
  }
}

const hasJobs = (client: DocumentKeeper): client is DocumentKeeper & JobClient =>
  client.startPutDocument !== undefined;

function note(
  { screen }: CommandCall,
  report: UploadReport,
  file: string,
  { status, chunks, losses = [] }: Stored,
  clear: () => void,
): void {
  if (status === "unchanged") {
    report.unchanged++;
    return;
  }
  report[status].push(file);
  report.chunks += chunks;
  report.losses.push(...losses.map((loss) => ({ file, ...loss })));
  if (screen.json || (screen.hasReader && losses.length === 0)) return;
  clear();
  if (!screen.hasReader) screen.print(`${status}  ${file}  ${counted(chunks, "chunk")}`);
  for (const { detail } of losses) screen.say(paint("yellow", "note"), `  ${file}  ${detail}`);
}

function noteFault(
  { screen }: CommandCall,
  report: UploadReport,
  file: string,
  thrown: unknown,
  clear: () => void,
): void {
  if (!(thrown instanceof AppError) || !ownFaults.has(thrown.kind)) throw toThrow(thrown);
  const { code, message } = thrown;
  report.failed.push({ file, error: code, message });
  if (screen.json) return;
  clear();
  screen.say(paint("red", "failed"), `  ${file}  ${message}`);
}

const toThrow = (thrown: unknown) => (thrown instanceof Error ? thrown : toAppError(thrown));
