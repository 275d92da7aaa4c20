import type { DocumentStored } from "../../contracts/daemon/rag/rag.ts";

export type UploadState = "waiting" | "reading" | "working" | "done" | "failed" | "cancelled";

/** The upload of a file into a collection. */
export interface QueuedUpload {
  key: number;
  /** The document's id. */
  id: string;
  file: File;
  state: UploadState;
  /** The job that reads a large file. */
  job?: string;
  /** The page that text recognition reads. */
  reading?: { page: number; pages: number };
  /** A job doesn't say whether it replaced a document. */
  outcome?: Pick<DocumentStored, "chunks" | "losses"> & Partial<Pick<DocumentStored, "status">>;
  /** The error of a failed upload. */
  thrown?: unknown;
}

export type UploadStep =
  | { type: "added"; files: readonly File[] }
  | {
      type: "moved";
      key: number;
      state: UploadState;
      more?: Pick<QueuedUpload, "job" | "reading" | "outcome" | "thrown">;
    }
  | { type: "retried"; key: number }
  | { type: "cleared" };

/** The daemon's limits. */
export const fileBytesMax = 64 * 1024 * 1024;
const idLengthMax = 255;

/** Returns true if the state of an upload is final. */
export const hasEnded = ({ state }: Pick<QueuedUpload, "state">): boolean =>
  state === "done" || state === "failed" || state === "cancelled";

/**
 * Applies a step: waiting → reading → done, or working (as a job) → done; failed and cancelled from each of them. A failed upload may wait
 * again. Ended uploads can be cleared.
 */
export function stepUploads(uploads: readonly QueuedUpload[], step: UploadStep): readonly QueuedUpload[] {
  switch (step.type) {
    case "added": {
      const first = 1 + Math.max(0, ...uploads.map(({ key }) => key));
      const added = step.files.map(
        (file, at): QueuedUpload => ({
          key: first + at,
          id: documentIdOf(file.name),
          file,
          state: "waiting",
        }),
      );
      return [...uploads, ...added];
    }
    case "moved":
      return uploads.map((upload) =>
        upload.key !== step.key || hasEnded(upload) ? upload : { ...upload, ...step.more, state: step.state },
      );
    case "retried":
      return uploads.map((upload) =>
        upload.key === step.key && upload.state === "failed"
          ? { key: upload.key, id: upload.id, file: upload.file, state: "waiting" }
          : upload,
      );
    case "cleared":
      return uploads.filter((upload) => !hasEnded(upload));
  }
}

/** Returns the uploads that can start now, so that at most `countMax` run at once. */
export function startable(uploads: readonly QueuedUpload[], countMax: number): QueuedUpload[] {
  const active = uploads.filter(({ state }) => state === "reading" || state === "working").length;
  return uploads.filter(({ state }) => state === "waiting").slice(0, Math.max(0, countMax - active));
}

/** Converts a file's name to a document id: without invisible characters, and limited in length. */
export function documentIdOf(name: string): string {
  const plain = name.replaceAll(/[\p{Cc}\ufeff]/gu, "").slice(0, idLengthMax);
  return /^\.{0,2}$/.test(plain) ? `document${plain}` : plain.toWellFormed();
}
