import { crc32, inflateRawSync } from "node:zlib";
import type { AppError } from "../../../kit/app-error.ts";
import { documentTooLarge, unreadable } from "../document-fault.ts";
import { listEntries, type ZipEntry } from "./zip-entries.ts";

/** Limit for the unpacked bytes of all parts that are read. */
const unpackedBytesMax = 64 * 1024 * 1024;

/** Parts of a packed document. */
export interface ZipArchive {
  has(name: string): boolean;
  /** Names of all parts. */
  names(): readonly string[];
  /**
   * Unpacks a part. The bytes are counted while unpacking; the archive's declared size is only checked. Throws AppError
   * `document_unreadable` or `document_too_large`.
   */
  read(name: string): Uint8Array;
}

/**
 * Opens a ZIP archive in memory. Throws `document_unreadable` for features that readers interpret differently or that attacks use:
 * duplicate names, overlapping parts, links, encryption, compression other than deflate.
 */
export function openZip(bytes: Uint8Array, bytesMax = unpackedBytesMax): ZipArchive {
  const entries = listEntries(bytes);
  let unpackedBytes = 0;
  return {
    has: (name) => entries.has(name),
    names: () => [...entries.keys()],
    read(name) {
      const entry = entries.get(name);
      if (entry === undefined)
        throw unreadable("A part of the document is missing; save it again and send the result.");
      const content = unpack(entry, bytesMax - unpackedBytes);
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
