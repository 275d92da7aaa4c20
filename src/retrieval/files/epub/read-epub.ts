import { attr, childOf, childrenOf, descendantsOf, type XmlNode } from "../../../kit/xml/xml-node.ts";
import { unreadable } from "../document-fault.ts";
import type { ReadDocument } from "../document-file.ts";
import { counted, DocumentWriter } from "../document-writer.ts";
import { coreProperties } from "../packed/core-properties.ts";
import { readPart, resolvePath } from "../packed/xml-parts.ts";
import type { ZipArchive } from "../packed/zip-archive.ts";
import { decodeText, readHtml } from "../read-text.ts";

/** Reads the chapters of an EPUB in their order. Throws AppError `document_unreadable` or `document_too_large`. */
export async function readEpub(archive: ZipArchive, signal: AbortSignal): Promise<ReadDocument> {
  if (archive.has("META-INF/rights.xml") || encrypts(archive))
    throw unreadable("The book is protected against reading; send one without protection.");
  const [rootFile] = [...descendantsOf(readPart(archive, "META-INF/container.xml"), "rootfile")];
  const path = resolvePath("", attr(rootFile, "full-path") ?? "");
  const book = readPart(archive, path);
  const folder = path.slice(0, path.lastIndexOf("/") + 1);
  const items = new Map(
    [...childrenOf(childOf(book, "manifest"), "item")].map((item) => [attr(item, "id") ?? "", item]),
  );
  const writer = new DocumentWriter();
  for (const entry of childrenOf(childOf(book, "spine"), "itemref")) {
    const chapter = chapterOf(archive, folder, items.get(attr(entry, "idref") ?? ""));
    if (chapter === undefined) {
      writer.lose("chapters", 1, (count) => `${counted(count, "chapter")} missing or not text`);
      continue;
    }
    const { text, title, places } = await readHtml(
      decodeText(archive.read(chapter), undefined, true),
      signal,
    );
    if (text.trim() === "") continue;
    writer.section(title);
    writer.include({ text, metadata: {}, ...(places && { places }) });
  }
  const { title, ...metadata } = coreProperties(childOf(book, "metadata"));
  return { ...writer.read(), metadata, ...(title !== undefined && { title }) };
}

function chapterOf(archive: ZipArchive, folder: string, item: XmlNode | undefined): string | undefined {
  if (!/html/.test(attr(item, "media-type") ?? "")) return undefined;
  const path = resolvePath(folder, attr(item, "href") ?? "");
  return archive.has(path) ? path : undefined;
}

/** Fonts may be encrypted without harm to the text. */
function encrypts(archive: ZipArchive): boolean {
  if (!archive.has("META-INF/encryption.xml")) return false;
  const references = [...descendantsOf(readPart(archive, "META-INF/encryption.xml"), "CipherReference")];
  return references.some((node) => /html?$/i.test(attr(node, "URI") ?? ""));
}
