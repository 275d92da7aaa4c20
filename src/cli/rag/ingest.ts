import { Command } from "commander";
import type { DocumentSearch, FoundDocuments } from "../../compose/command/document-files.ts";
import { AppError } from "../../kit/app-error.ts";
import { type Call, loadConfig, type Perform, withDaemon } from "../call.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { paint } from "../paint.ts";
import { usageError } from "../report-error.ts";
import {
  allPages,
  type Client,
  collectionOf,
  counted,
  gather,
  requireTarget,
  type Target,
} from "./target.ts";
import { type UploadReport, uploadDocuments } from "./upload.ts";

interface IngestOptions extends Target {
  include?: string[];
  exclude?: string[];
  prune?: boolean;
}

export const ingestCommand = (perform: Perform) =>
  new Command("ingest")
    .description("add files and folders (text, Markdown, HTML, PDF, DOCX) to a collection")
    .argument("<paths...>", "files and folders; a document's id is its path")
    .option("--collection <name>", "the collection; created if it doesn't exist")
    .option("--pipeline <name>", "the pipeline whose collection and settings are used")
    .option("--include <pattern>", "in folders, only files that match, such as '**/*.md'; repeatable", gather)
    .option("--exclude <pattern>", "in folders, skip files that match; repeatable", gather)
    .option("--prune", "delete documents whose files were removed from these folders")
    .action((paths: string[], options: IngestOptions, command: Command) =>
      perform(command, (call) => ingest(call, paths, options)),
    );

export const syncCommand = (perform: Perform) =>
  new Command("sync")
    .description("synchronize a pipeline's documents with the files of its sources")
    .argument("<pipeline>", "a pipeline's name")
    .action((pipeline: string, _options: object, command: Command) =>
      perform(command, (call) => sync(call, pipeline)),
    );

/** The result of an ingest, as `--json` prints it. */
interface IngestReport extends UploadReport {
  collection: string;
  deleted: string[];
}

async function ingest(call: Call, paths: string[], options: IngestOptions): Promise<ExitCode> {
  requireTarget(options);
  const { workspace } = await loadConfig(call);
  const { include = [], exclude = [] } = options;
  const search: DocumentSearch = { workspace, folder: call.shell.folder, paths, include, exclude };
  const found = await call.shell.parts.findDocuments(search);
  if (options.prune && found.prefixes.length === 0) throw usageError("--prune is for folders.");
  return withDaemon(call, {}, async (client) => {
    const collection = await collectionOf(client, options);
    const work: Work = { collection, pipeline: options.pipeline, found, metadata: {} };
    if (!options.prune) return take(call, client, work);
    const kept = new Set([...found.entries.map(({ id }) => id), ...found.faults.map(({ file }) => file)]);
    return take(call, client, {
      ...work,
      isGone: async ({ id, metadata }) =>
        metadata.source === id &&
        !kept.has(id) &&
        found.prefixes.some((prefix) => id.startsWith(prefix)) &&
        !(await call.shell.parts.hasDocumentFile(search, id)),
    });
  });
}

async function sync(call: Call, pipeline: string): Promise<ExitCode> {
  const { workspace } = await loadConfig(call);
  return withDaemon(call, {}, async (client) => {
    const { collection, spec } = await client.getPipeline(pipeline);
    const patterns = sourcesOf(spec);
    if (patterns.length === 0) {
      throw new AppError("invalid", "no_sources", `The pipeline ${pipeline} names no sources.`, {
        details: { hint: "Add `sources: [{path: docs/**/*.md}]` to its spec, or use `argosy rag ingest`." },
      });
    }
    const found = await call.shell.parts.findSources(workspace, patterns);
    const kept = new Set([...found.entries.map(({ id }) => id), ...found.faults.map(({ file }) => file)]);
    const isGone = async ({ id, metadata }: KnownDocument) =>
      metadata.synced_by === pipeline && !kept.has(id);
    return take(call, client, { collection, pipeline, found, metadata: { synced_by: pipeline }, isGone });
  });
}

function sourcesOf(spec: Record<string, unknown> | undefined): string[] {
  const sources = Array.isArray(spec?.sources) ? spec.sources : [];
  return sources.flatMap((source: unknown) =>
    typeof source === "object" && source !== null && "path" in source && typeof source.path === "string"
      ? [source.path]
      : [],
  );
}

interface KnownDocument {
  id: string;
  metadata: Record<string, unknown>;
}

interface Work {
  collection: string;
  pipeline: string | undefined;
  found: FoundDocuments;
  metadata: Record<string, unknown>;
  /** Returns true if a document of the collection must be deleted. Absent: none is deleted. */
  isGone?: (document: KnownDocument) => Promise<boolean>;
}

async function take(call: Call, client: Client, work: Work): Promise<ExitCode> {
  const { screen } = call;
  const { collection, found } = work;
  const report: IngestReport = {
    collection,
    created: [],
    replaced: [],
    unchanged: 0,
    chunks: 0,
    deleted: [],
    failed: found.faults.map(({ file, message }) => ({ file, error: "not_a_document", message })),
  };
  if (!screen.json) {
    for (const { file, message } of found.faults) screen.say(paint("red", "failed"), `  ${file}  ${message}`);
  }
  try {
    await uploadDocuments(call, client, { ...work, entries: found.entries }, report);
    if (work.isGone !== undefined) await prune(call, client, work.isGone, report);
  } catch (thrown) {
    // Ingested documents stay, whatever ended the rest.
    if (!screen.json) sayReport(call, report, found);
    throw thrown;
  }
  if (screen.json) screen.document(report);
  else sayReport(call, report, found);
  return report.failed.length === 0 ? exitCodes.ok : exitCodes.failed;
}

async function prune(
  { signal, screen }: Call,
  client: Client,
  isGone: (document: KnownDocument) => Promise<boolean>,
  report: IngestReport,
): Promise<void> {
  for (const document of await documentsOf(client, report.collection)) {
    signal.throwIfAborted();
    if (!(await isGone(document))) continue;
    await client.deleteDocument(report.collection, document.id);
    report.deleted.push(document.id);
    if (!screen.json && !screen.hasReader) screen.print(`deleted  ${document.id}`);
  }
}

/** Returns all documents of a collection; none if it does not exist yet. */
async function documentsOf(client: Client, collection: string): Promise<KnownDocument[]> {
  try {
    return await allPages(async (cursor) => {
      const { documents, next } = await client.listDocuments(collection, {
        limit: 100,
        ...(cursor !== undefined && { cursor }),
      });
      return { items: documents, next };
    });
  } catch (thrown) {
    if (thrown instanceof AppError && thrown.kind === "not_found") return [];
    throw thrown;
  }
}

function sayReport({ screen }: Call, report: IngestReport, { entries, otherKinds }: FoundDocuments): void {
  const { collection, created, replaced, unchanged, deleted, failed, chunks } = report;
  const facts = [
    `${created.length} new`,
    `${replaced.length} replaced`,
    `${unchanged} unchanged`,
    ...(deleted.length > 0 ? [`${deleted.length} deleted`] : []),
    ...(failed.length > 0 ? [`${failed.length} failed`] : []),
  ];
  screen.say(`${collection}: ${facts.join(", ")}; ${counted(chunks, "chunk")} made.`);
  if (entries.length === 0) screen.say("No documents were found.");
  if (otherKinds > 0) screen.say(`${counted(otherKinds, "file")} of other types skipped.`);
}
