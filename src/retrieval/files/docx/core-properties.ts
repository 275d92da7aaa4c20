import { HtmlScanner } from "../../../kit/html/html-scanner.ts";
import type { ZipArchive } from "./zip-archive.ts";

const part = "docProps/core.xml";
const fieldCharsMax = 500;

const fields: ReadonlyMap<string, string> = new Map([
  ["dc:title", "title"],
  ["dc:creator", "author"],
  ["dc:subject", "subject"],
  ["cp:keywords", "keywords"],
  ["dcterms:created", "created_at"],
  ["dcterms:modified", "modified_at"],
]);

/** Properties of a DOCX; empty if it has none. */
export function readCoreProperties(
  archive: ZipArchive,
  xmlOf: (bytes: Uint8Array) => string,
): { title?: string } & Record<string, string> {
  const found = new Map<string, string>();
  if (!archive.has(part)) return {};
  const xml = xmlOf(archive.read(part));
  let field: string | undefined;
  const scanner = new HtmlScanner(xml, {
    start(name) {
      field = fields.get(name);
      return undefined;
    },
    text(text) {
      if (field !== undefined) found.set(field, (found.get(field) ?? "") + text);
    },
    end() {
      field = undefined;
    },
  });
  scanner.step(xml.length);
  const entries = [...found].map(([name, text]) => [name, fieldValue(name, text)] as const);
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => entry[1] !== undefined));
}

function fieldValue(name: string, text: string): string | undefined {
  const value = text.replaceAll("\0", "").trim().slice(0, fieldCharsMax).toWellFormed();
  if (!name.endsWith("_at")) return value === "" ? undefined : value;
  const instant = new Date(value);
  return value === "" || Number.isNaN(instant.getTime()) ? undefined : instant.toISOString();
}
