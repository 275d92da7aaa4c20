import { childCommand } from "../../src/compose/child-command.ts";
import { AppError } from "../../src/kit/app-error.ts";
import { type Clock, systemClock } from "../../src/kit/clock.ts";
import { silentLogger } from "../../src/kit/log.ts";
import type { DocumentFile, ReadDocument } from "../../src/retrieval/files/document-file.ts";
import { createDocumentReader, type DocumentReader } from "../../src/retrieval/files/document-reader.ts";
import type { TextRecognition } from "../../src/retrieval/files/scan/text-recognition.ts";

/** Opens a reader with its own child process; close it at the end. */
export function openDocumentReader(
  clock: Clock = systemClock,
  recognition?: TextRecognition,
): DocumentReader {
  const command = childCommand("document-child");
  return createDocumentReader({
    childCommand: command,
    clock,
    log: silentLogger,
    ...(recognition && { recognition }),
  });
}

export const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Returns the outcome of reading a file: its text, or the error's code and message. */
export async function outcomeOf(
  reader: DocumentReader,
  file: DocumentFile,
  signal = new AbortController().signal,
): Promise<ReadDocument | { code: string; status: number; message: string }> {
  try {
    return await reader.read(file, signal);
  } catch (thrown) {
    if (thrown instanceof AppError)
      return { code: thrown.code, status: thrown.status, message: thrown.message };
    throw thrown;
  }
}
