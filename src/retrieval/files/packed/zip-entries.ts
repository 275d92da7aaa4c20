import type { AppError } from "../../../kit/app-error.ts";
import { unreadable } from "../document-fault.ts";

export interface ZipEntry {
  packed: Uint8Array;
  method: "stored" | "deflated";
  /** Declared size of the content. */
  size: number;
  /** CRC-32 of the content. */
  checksum: number;
}

const entriesMax = 10_000;

const endSignature = 0x06054b50;
const endBytes = 22;
const commentBytesMax = 65_535;
const centralSignature = 0x02014b50;
const centralBytes = 46;
const localSignature = 0x04034b50;
const localBytes = 30;

const encryptedFlag = 1;
const linkMode = 0xa;

interface Placed extends ZipEntry {
  name: string;
  start: number;
  end: number;
}

/** Entries in the directory of a ZIP archive, by name. Throws AppError `document_unreadable`. */
export function listEntries(bytes: Uint8Array): ReadonlyMap<string, ZipEntry> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = findEnd(view);
  const count = view.getUint16(end + 10, true);
  if (count > entriesMax)
    throw unreadable(`The document has more than ${entriesMax} parts; split it into smaller files.`);
  const placed: Placed[] = [];
  const entries = new Map<string, ZipEntry>();
  let at = view.getUint32(end + 16, true);
  for (let index = 0; index < count; index++) {
    if (at + centralBytes > end || view.getUint32(at, true) !== centralSignature) throw damaged();
    const entry = entryAt(bytes, view, at);
    if (entries.has(entry.name)) throw damaged();
    entries.set(entry.name, entry);
    placed.push(entry);
    at +=
      centralBytes +
      view.getUint16(at + 28, true) +
      view.getUint16(at + 30, true) +
      view.getUint16(at + 32, true);
  }
  requireApart(placed);
  return entries;
}

/** Position of the archive's end record, which a comment may follow. */
function findEnd(view: DataView): number {
  const last = view.byteLength - endBytes;
  for (let at = last; at >= Math.max(0, last - commentBytesMax); at--) {
    const isEnd = view.getUint32(at, true) === endSignature;
    if (isEnd && at + endBytes + view.getUint16(at + 20, true) === view.byteLength) return at;
  }
  throw damaged();
}

function entryAt(bytes: Uint8Array, view: DataView, at: number): Placed {
  const flags = view.getUint16(at + 8, true);
  if (flags & encryptedFlag)
    throw unreadable("The document is protected by a password; save it without one and send it again.");
  // If Unix created the entry, the upper half of the attributes is the file mode.
  if (view.getUint16(at + 40, true) >> 12 === linkMode) throw damaged();
  const nameBytes = view.getUint16(at + 28, true);
  const name = new TextDecoder().decode(bytes.subarray(at + centralBytes, at + centralBytes + nameBytes));
  const start = view.getUint32(at + 42, true);
  if (start + localBytes > bytes.length || view.getUint32(start, true) !== localSignature) throw damaged();
  const dataAt = start + localBytes + view.getUint16(start + 26, true) + view.getUint16(start + 28, true);
  const end = dataAt + view.getUint32(at + 20, true);
  if (end > bytes.length) throw damaged();
  return {
    name,
    start,
    end,
    packed: bytes.subarray(dataAt, end),
    method: methodOf(view.getUint16(at + 10, true)),
    size: view.getUint32(at + 24, true),
    checksum: view.getUint32(at + 16, true),
  };
}

function methodOf(number: number): ZipEntry["method"] {
  if (number === 0) return "stored";
  if (number === 8) return "deflated";
  throw damaged();
}

/** Overlapping parts would unpack to more data than the archive contains. */
function requireApart(placed: Placed[]): void {
  placed.sort((one, other) => one.start - other.start);
  let free = 0;
  for (const { start, end } of placed) {
    if (start < free) throw damaged();
    free = end;
  }
}

function damaged(): AppError {
  return unreadable("The document is damaged; open and save it again, then send the result.");
}
