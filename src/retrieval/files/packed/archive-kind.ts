import type { DocumentKind } from "../../../contracts/daemon/rag/document-types.ts";
import { documentTypes } from "../../../contracts/daemon/rag/document-types.ts";
import { openZip } from "./zip-archive.ts";

const folders: readonly (readonly [string, DocumentKind])[] = [
  ["word/", "docx"],
  ["xl/", "xlsx"],
  ["ppt/", "pptx"],
];

const marked: readonly DocumentKind[] = ["odt", "ods", "odp", "epub"];
const markBytesMax = 100;

/**
 * Returns the kind of a packed document by the names of its parts. A damaged archive counts as DOCX, whose reader says what is wrong with
 * it.
 */
export function kindOfArchive(bytes: Uint8Array): DocumentKind | "unknown" {
  try {
    const archive = openZip(bytes, markBytesMax);
    const names = archive.names();
    const found = folders.find(([folder]) => names.some((name) => name.startsWith(folder)));
    if (found !== undefined) return found[1];
    if (names.includes("[Content_Types].xml")) return "docx";
    if (!names.includes("mimetype")) return "unknown";
    const type = new TextDecoder()
      .decode(archive.read("mimetype"))
      .trim()
      .replace(/-template$/, "");
    return marked.find((kind) => documentTypes[kind].contentTypes[0] === type) ?? "unknown";
  } catch {
    return "docx";
  }
}
