import { type Command, InvalidArgumentError } from "commander";
import type { DocumentEntry, DocumentSearch, FoundDocuments } from "../../command/document-files.ts";
import {
  type DocumentKind,
  documentTypes,
  kindOfContentType,
} from "../../contracts/daemon/rag/document-types.ts";
import { findCharset } from "../../kit/text/charsets.ts";
import type { CommandCall } from "../call.ts";
import { gather } from "../option-values.ts";
import { usageError } from "../terminal/report-error.ts";

/** Which files a command takes, and as what. */
export interface FileOptions {
  include?: string[];
  exclude?: string[];
  type?: DocumentKind;
  charset?: string;
}

/** Adds the options of commands that send files. */
export const withFileOptions = (command: Command): Command =>
  command
    .option("--include <pattern>", "in folders, only files that match, such as '**/*.md'; repeatable", gather)
    .option("--exclude <pattern>", "in folders, skip files that match; repeatable", gather)
    .option("--type <kind>", "what the files are: text, html, text/csv, …", documentKind)
    .option("--charset <name>", "charset of text files", charsetName);

/** Finds the files, with the content types that the options say. */
export async function findFiles(
  { shell }: CommandCall,
  search: Omit<DocumentSearch, "include" | "exclude" | "anyEnding">,
  { include = [], exclude = [], type, charset }: FileOptions,
): Promise<FoundDocuments> {
  if (type !== undefined && charset !== undefined && !hasCharset(type))
    throw usageError(`--charset is for text, markdown, html and csv, and --type is ${type}.`);
  const documents = await shell.parts.findDocuments({
    ...search,
    include,
    exclude,
    anyEnding: type !== undefined,
  });
  return { ...documents, entries: documents.entries.map((entry) => sentAs(entry, type, charset)) };
}

const kinds = Object.keys(documentTypes) as DocumentKind[];

function documentKind(text: string): DocumentKind {
  const wanted = text.trim().toLowerCase();
  const kind = kinds.find((one) => one === wanted || documentTypes[one].endings.includes(wanted));
  const knownKind = kind ?? kindOfContentType(wanted);
  if (knownKind !== undefined) return knownKind;
  throw new InvalidArgumentError(`It must be one of ${kinds.join(", ")}, or a content type of these.`);
}

function charsetName(text: string): string {
  const label = text.trim();
  if (/^[\w.:+-]{1,40}$/.test(label) && findCharset(label) !== undefined) return label;
  throw new InvalidArgumentError(
    "It must be the name of a charset, such as utf-8, windows-1252 or shift_jis.",
  );
}

const hasCharset = (kind: DocumentKind) => !documentTypes[kind].isPacked;

function sentAs(
  entry: DocumentEntry,
  type: DocumentKind | undefined,
  charset: string | undefined,
): DocumentEntry {
  const contentType = type === undefined ? entry.contentType : documentTypes[type].contentTypes[0];
  if (charset === undefined) return { ...entry, contentType };
  const kind = contentType === undefined ? undefined : kindOfContentType(contentType);
  // Files whose kind is detected may be text.
  if (kind !== undefined && !hasCharset(kind)) return { ...entry, contentType };
  return { ...entry, contentType: `${contentType ?? "application/octet-stream"}; charset=${charset}` };
}
