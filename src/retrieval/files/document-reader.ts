import { type DocumentKind, documentTypes } from "../../contracts/daemon/rag/document-types.ts";
import { AppError, toAppError } from "../../kit/app-error.ts";
import type { Clock } from "../../kit/clock.ts";
import { fairTurns } from "../../kit/concurrency/fair-turns.ts";
import { untilAborted } from "../../kit/concurrency/until-aborted.ts";
import type { Logger } from "../../kit/log.ts";
import {
  ChildEnded,
  MemoryLimitPassed,
  StartFailed,
  TimeLimitPassed,
} from "../../kit/process/line-process.ts";
import type { ChildAnswer } from "./document-child.ts";
import { documentTooLarge, picturesLost, recognitionAdvice, unreadable } from "./document-fault.ts";
import type { DocumentFile, ReadDocument } from "./document-file.ts";
import { type DocumentForm, formOf } from "./document-kind.ts";
import { readBytes } from "./read-bytes.ts";
import { createReadingChild, type ReadingChild } from "./reading-child.ts";
import type { RecognitionFiles, TextRecognition } from "./scan/text-recognition.ts";

export interface DocumentReader {
  /**
   * Reads files of the kinds in `documentTypes`. Throws AppError `unsupported_media_type` (415), `document_unreadable` or `document_too_large`
   * (422), each with advice, or the signal's reason. Files of one `owner` are read one at a time, and other owners never wait long for
   * them.
   */
  read(file: DocumentFile, signal: AbortSignal, owner?: string): Promise<ReadDocument>;
  /** Ends the reading processes; the next file starts one again. */
  close(): void;
}

export interface DocumentReaderOptions {
  /** Command that starts `runDocumentChild` in its own process: the executable with its hidden command, or bun with the file. */
  childCommand: readonly string[];
  clock: Clock;
  log: Logger;
  /** Maximum parallel processes, each for another owner. */
  readersMax?: number;
  /** Reads pages that are pictures for files that want it; absent: there is none. */
  recognition?: TextRecognition;
}

const READERS_DEFAULT = 2;
const MIB = 1024 * 1024;
/** Small files that take long are hostile. */
const timeLimitMs = (bytes: number) => Math.min(20_000 + 5000 * Math.floor(bytes / MIB), 120_000);
/** More for a file whose pages are recognized; the recognition itself ends before. */
const recognitionMs = 300_000;
/** From this time on, a file makes way if another owner waits. */
const patienceMs = 5000;
const lookMs = 500;
/** Plain texts up to this size are read in this process, in a few milliseconds. */
const OWN_BYTES_MAX = 512 * 1024;

/**
 * Creates a reader that reads one file of each owner at a time. Packed formats and large files are read in child processes without
 * environment variables. These are killed if they exceed their time or memory limit, so that no file can harm this process.
 *
 * A file that takes more than 5 seconds makes way if another owner waits. It is read again later, with the full time limit. Fewer such
 * files than there are readers are read at once, so a reader is left for quick files.
 */
export function createDocumentReader({
  childCommand,
  clock,
  log,
  readersMax = READERS_DEFAULT,
  recognition,
}: DocumentReaderOptions): DocumentReader {
  const children = Array.from({ length: readersMax }, () => createReadingChild(childCommand, clock));
  const turn = fairTurns({ placesMax: readersMax, ownPlacesMax: 1 });
  const slowTurn = fairTurns({ placesMax: Math.max(1, readersMax - 1), ownPlacesMax: 1 });

  const readInChild = async (
    child: ReadingChild | undefined,
    { bytes, form, signal, progressed }: FileToRead,
  ) => {
    if (child === undefined) throw new Error("There is no reader at this place.");
    signal.throwIfAborted();
    const limits = {
      timeLimitMs: timeLimitMs(bytes.length) + (form.recognition === undefined ? 0 : recognitionMs),
      signal,
    };
    let answer: ChildAnswer;
    try {
      answer = await child.ask({ ...form, bytes: bytes.length }, limits, bytes, progressed);
    } catch (thrown) {
      signal.throwIfAborted();
      const fault = endedEarly(thrown, limits.timeLimitMs);
      log.warn("document.reader_ended", { kind: form.kind, bytes: bytes.length, code: fault.code });
      throw fault;
    }
    if ("document" in answer) return answer.document;
    throw faultOf(answer);
  };

  /** Reads the file, but makes way for other owners. Then it throws `MadeWay`. */
  const readPatiently = async (owner: string, place: number, file: FileToRead) => {
    const control = new AbortController();
    let cancel = () => {};
    const look = () => {
      if (turn.othersWait(owner)) control.abort(new MadeWay());
      else cancel = clock.timer(lookMs, look);
    };
    cancel = clock.timer(patienceMs, look);
    try {
      const signal = AbortSignal.any([file.signal, control.signal]);
      return await readInChild(children[place], { ...file, signal });
    } finally {
      cancel();
    }
  };

  const readInTurn = async (owner: string, file: FileToRead) => {
    try {
      return await turn(owner, (place) => readPatiently(owner, place, file));
    } catch (thrown) {
      if (!(thrown instanceof MadeWay)) throw thrown;
      return slowTurn(owner, () => turn(owner, (place) => readInChild(children[place], file)));
    }
  };

  return {
    async read(file, signal, owner = "") {
      signal.throwIfAborted();
      const form = formOf(file);
      if (!documentTypes[form.kind].isPacked && file.bytes.length <= OWN_BYTES_MAX)
        return readBytes(file.bytes, form, { signal });
      const { bytes, progressed, recognized = [] } = file;
      const read = (files: RecognitionFiles | undefined) => {
        const wanted = { ...form, ...(files !== undefined && { recognition: files }) };
        return untilAborted(signal, () => readInTurn(owner, { bytes, form: wanted, signal, progressed }));
      };
      if (recognition === undefined || recognized.length === 0 || !mayBeScanned.has(form.kind))
        return read(undefined);
      return readScans(read, recognition, recognized, signal);
    },
    close() {
      for (const child of children) child.close();
    },
  };
}

interface FileToRead {
  bytes: Uint8Array;
  form: DocumentForm;
  signal: AbortSignal;
  progressed: DocumentFile["progressed"];
}

/** The file was stopped because another owner waited. */
class MadeWay extends Error {}

/** Kinds whose pages may be pictures. */
const mayBeScanned: ReadonlySet<DocumentKind> = new Set(["pdf", "eml"]);

/**
 * Reads a file whose pages may be pictures. The recognition is installed when there is such a page for the first time; if it can't be had,
 * the outcome says so beside the pages.
 */
async function readScans(
  read: (files: RecognitionFiles | undefined) => Promise<ReadDocument>,
  recognition: TextRecognition,
  languages: readonly string[],
  signal: AbortSignal,
): Promise<ReadDocument> {
  const found = await recognition.find(languages);
  if (found !== undefined) return read(found);
  const plain = await read(undefined).then(
    (document) => ({ document }),
    (thrown: unknown) => ({ thrown }),
  );
  const hasPictures =
    "document" in plain
      ? plain.document.losses?.some(({ kind }) => kind === picturesLost) === true
      : isWithoutText(plain.thrown);
  if (!hasPictures) {
    if ("thrown" in plain) throw plain.thrown;
    return plain.document;
  }
  let files: RecognitionFiles;
  try {
    files = await recognition.install(languages, signal);
  } catch (thrown) {
    signal.throwIfAborted();
    const { message, details } = toAppError(thrown);
    const advice = [message, details.hint].filter((part) => part !== undefined).join(" ");
    if ("document" in plain) return withAdvice(plain.document, advice);
    throw unreadable(`${(plain.thrown as AppError).message.replace(` ${recognitionAdvice}`, "")} ${advice}`);
  }
  return read(files);
}

const isWithoutText = (thrown: unknown) =>
  thrown instanceof AppError && thrown.message.includes(recognitionAdvice);

/** Adds the advice to the note of pages that are pictures. */
function withAdvice(document: ReadDocument, advice: string): ReadDocument {
  const losses = document.losses?.map((loss) =>
    loss.kind === picturesLost ? { ...loss, detail: `${loss.detail}. ${advice}` } : loss,
  );
  return { ...document, ...(losses && { losses }) };
}

function faultOf({ code, message }: { code: string; message: string }): AppError {
  if (code === "document_unreadable") return unreadable(message);
  if (code === "document_too_large") return documentTooLarge(message);
  return unreadable(
    "The file could not be read; open and save it with another program, then send it again.",
    message,
  );
}

function endedEarly(cause: unknown, timeLimitMs: number): AppError {
  if (cause instanceof TimeLimitPassed) {
    return documentTooLarge(
      `Reading the file took longer than ${timeLimitMs / 1000} seconds and was stopped; split it into smaller files.`,
      cause,
    );
  }
  if (cause instanceof StartFailed) {
    const message = "The process that reads documents could not be started; try again later.";
    return new AppError("unavailable", "document_reader_unavailable", message, { cause });
  }
  if (!(cause instanceof MemoryLimitPassed) && !(cause instanceof ChildEnded)) return toAppError(cause);
  const reason =
    cause instanceof ChildEnded ? "broke off, mostly for lack of memory" : "took more memory than it may";
  return documentTooLarge(
    `Reading the file ${reason}; split it into smaller files, or send its text.`,
    cause,
  );
}
