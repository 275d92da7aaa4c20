import { readFileSync } from "node:fs";

const magic = Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 1]); // ELF, 64 bits, little-endian

/**
 * Returns the bytes of a shared library without what only a debugger reads: everything after the last segment that is loaded, and the table of
 * sections. LanceDB's addon for Linux ends with 34 MB of symbols. Other formats are returned as they are: macOS signs its libraries, and
 * Windows keeps symbols in files of their own.
 */
export function strippedLibrary(path: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(readFileSync(path));
  const view = new DataView(bytes.buffer);
  if (bytes.length < 64 || magic.compare(bytes, 0, magic.length) !== 0) return bytes;
  const headersAt = Number(view.getBigUint64(32, true));
  const headerSize = view.getUint16(54, true);
  const headers = view.getUint16(56, true);
  let end = headersAt + headerSize * headers;
  for (let at = headersAt; at < headersAt + headerSize * headers; at += headerSize)
    end = Math.max(end, Number(view.getBigUint64(at + 8, true) + view.getBigUint64(at + 32, true)));
  if (headers === 0 || end > bytes.length) return bytes;
  const stripped = bytes.slice(0, end);
  const header = new DataView(stripped.buffer);
  header.setBigUint64(40, 0n, true); // place of the sections
  header.setUint16(60, 0, true); // their number
  header.setUint16(62, 0, true); // the section of their names
  return stripped;
}
