import { charsetOfMark } from "../../../kit/text/charsets.ts";
import { scanXml, XmlFault, type XmlSink } from "../../../kit/xml/scan-xml.ts";
import { attr, childrenOf, readXml, type XmlNode, XmlTooLarge } from "../../../kit/xml/xml-node.ts";
import { documentTooLarge, unreadable } from "../document-fault.ts";
import type { ZipArchive } from "./zip-archive.ts";

/**
 * XML of a part. Refuses a document type: it is not allowed in a packed document, and its entities could expand without limit. Throws
 * AppError `document_unreadable` or `document_too_large`.
 */
export function readPart(archive: ZipArchive, name: string): XmlNode {
  return guarded(() => readXml(decodePart(archive, name)));
}

/** `readPart` for a part that may be missing. */
export function readPartIfAny(archive: ZipArchive, name: string): XmlNode | undefined {
  return archive.has(name) ? readPart(archive, name) : undefined;
}

/** Reads a part that may be large, piece by piece. Throws as `readPart`. */
export function scanPart(archive: ZipArchive, name: string, sink: XmlSink): void {
  guarded(() => scanXml(decodePart(archive, name), sink));
}

/** Targets of a part's relations, by id. Paths are those of the archive. */
export function relationsOf(
  archive: ZipArchive,
  part: string,
): ReadonlyMap<string, { type: string; target: string }> {
  const cut = part.lastIndexOf("/") + 1;
  const folder = part.slice(0, cut);
  const found = new Map<string, { type: string; target: string }>();
  for (const relation of childrenOf(readPartIfAny(archive, `${folder}_rels/${part.slice(cut)}.rels`))) {
    const [id, target = ""] = [attr(relation, "Id"), attr(relation, "Target")];
    if (id === undefined || attr(relation, "TargetMode") === "External") continue;
    const type = attr(relation, "Type") ?? "";
    found.set(id, { type: type.slice(type.lastIndexOf("/") + 1), target: resolvePath(folder, target) });
  }
  return found;
}

/** A path relative to a folder of the archive, with `..` and percent signs resolved. */
export function resolvePath(folder: string, target: string): string {
  const path = target.startsWith("/") ? target : `${folder}${target}`;
  const names: string[] = [];
  for (const name of decodePath(path).split("/")) {
    if (name === "..") names.pop();
    else if (name !== "" && name !== ".") names.push(name);
  }
  return names.join("/");
}

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function decodePart(archive: ZipArchive, name: string): string {
  const bytes = archive.read(name);
  try {
    return new TextDecoder(charsetOfMark(bytes) ?? "utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw unreadable(
      "The document's text is in an unknown encoding; save it again and send the result.",
      cause,
    );
  }
}

function guarded<T>(read: () => T): T {
  try {
    return read();
  } catch (cause) {
    if (cause instanceof XmlTooLarge)
      throw documentTooLarge("The document has too many elements; split it into smaller files.", cause);
    if (!(cause instanceof XmlFault)) throw cause;
    throw unreadable(
      cause.reason === "document_type"
        ? "The document has a document type, which it must not have; save it again and send the result."
        : "The document is damaged; open and save it again, then send the result.",
      cause,
    );
  }
}
