import { crc32, inflateRawSync } from "node:zlib";
import type { AppError } from "../../../kit/app-error.ts";
import { documentTooLarge, unreadable } from "../document-fault.ts";
import { listEntries, type ZipEntry } from "./zip-entries.ts";

/** What all parts that are read may have unpacked, together. */
const unpackedBytesMax = 64 * 1024 * 1024;

/** The parts of a packed document. */
export interface ZipArchive {
  has(name: string): boolean;
  /**
   * The unpacked bytes of a part, which are counted as they come: what the archive says of its sizes is only checked. Throws
   * AppError `document_unreadable` or `document_too_large`.
   */
  read(name: string): Uint8Array;
}

/**
 * Opens a ZIP archive that is in memory. Refused as `document_unreadable`, because readers differ or harm hides there: names given
 * twice, parts that overlap, links, encryption, packing other than deflate.
 */
export function openZip(bytes: Uint8Array): ZipArchive {
  const entries = listEntries(bytes);
  let unpackedBytes = 0;
  return {
    has: (name) => entries.has(name),
    read(name) {
      const entry = entries.get(name);
      if (entry === undefined)
        throw unreadable("A part of the document is missing; save it again and send the result.");
      const content = unpack(entry, unpackedBytesMax - unpackedBytes);
      unpackedBytes += content.length;
      return content;
    },
  };
}

function unpack({ packed, method, size, checksum }: ZipEntry, bytesMax: number): Uint8Array {
  if (size > bytesMax) throw tooLarge();
  const content = method === "stored" ? packed : inflate(packed, size);
  if (content.length !== size || crc32(content) !== checksum) throw damaged();
  return content;
}

function inflate(packed: Uint8Array, size: number): Uint8Array {
  try {
    return inflateRawSync(packed, { maxOutputLength: Math.max(size, 1) });
  } catch (cause) {
    throw damaged(cause);
  }
}

function tooLarge(): AppError {
  return documentTooLarge(
    `The document has more than ${unpackedBytesMax / 1024 / 1024} MiB unpacked; split it into smaller files.`,
  );
}

function damaged(cause?: unknown): AppError {
  return unreadable("The document is damaged; save it again and send the result.", cause);
}
