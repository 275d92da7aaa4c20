import { Command } from "commander";
import type { FoundDocuments } from "../../command/document-files.ts";
import { readableFiles } from "../../contracts/daemon/rag/document-types.ts";
import { AppError } from "../../kit/app-error.ts";
import { allPages, type CommandCall, type Perform, readConfig, withDaemon } from "../call.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { paint } from "../terminal/paint.ts";
import { usageError } from "../terminal/report-error.ts";
import { counted } from "../terminal/table.ts";
import { type FileOptions, findFiles, withFileOptions } from "./file-options.ts";
import { type Client, type CollectionTarget, collectionOf, requireTarget } from "./target.ts";
import { type UploadReport, uploadDocuments } from "./upload.ts";

interface IngestOptions extends CollectionTarget, FileOptions {
  prune?: boolean;
}

export const ingestCommand = (perform: Perform) =>
  withFileOptions(
    new Command("ingest")
      .description(`add files and folders (${readableFiles}) to a collection`)
      .argument("<paths...>", "files and folders; a document's id is its path")
      .option("--collection <name>", "the collection; created if it doesn't exist")
      .option("--pipeline <name>", "the pipeline whose collection and settings are used"),
  )
    .option("--prune", "delete documents whose files in these folders were removed or are empty")
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
  /** Files that are empty, and whose documents are unchanged. */
  empty: string[];
}

async function ingest(call: CommandCall, paths: string[], options: IngestOptions): Promise<ExitCode> {
  requireTarget(options);
  const { workspace } = await readConfig(call);
  const search = { workspace, folder: call.shell.folder, paths };
  const files = await findFiles(call, search, options);
  if (options.prune && files.prefixes.length === 0) throw usageError("--prune is for folders.");
  return withDaemon(call, {}, async (client) => {
    const collection = await collectionOf(client, options);
    const work: Work = { collection, pipeline: options.pipeline, found: files, metadataOf: () => ({}) };
    if (!options.prune) return take(call, client, work);
    const namedFiles = namedIn(files);
    const empty = new Set(files.empty);
    return take(call, client, {
      ...work,
      isGone: async ({ id, metadata }) =>
        metadata.source === id &&
        !namedFiles.has(id) &&
        files.prefixes.some((prefix) => id.startsWith(prefix)) &&
        (empty.has(id) || !(await call.shell.parts.hasDocumentFile(search, id))),
    });
  });
}

async function sync(call: CommandCall, pipeline: string): Promise<ExitCode> {
  const { workspace } = await readConfig(call);
  return withDaemon(call, {}, async (client) => {
    const { collection, spec } = await client.getPipeline(pipeline);
    const patterns = sourcesOf(spec);
    if (patterns.length === 0) {
      throw new AppError("invalid", "no_sources", `The pipeline ${pipeline} names no sources.`, {
        details: { hint: "Add `sources: [{path: docs/**/*.md}]` to its spec, or use `argosy rag ingest`." },
      });
    }
    const sources = await call.shell.parts.findSources(workspace, patterns);
    const namedSources = namedIn(sources);
    const others = await sourcesOfOthers(call, client, { workspace, collection, pipeline });
    const owners = await ownersOf(client, collection, others);
    const isGone = async ({ id, metadata }: KnownDocument) =>
      metadata.synced_by === pipeline &&
      !namedSources.has(id) &&
      ![...others.values()].some((named) => named.has(id));
    const metadataOf = (id: string) => ({ synced_by: owners.get(id) ?? pipeline });
    return take(call, client, { collection, pipeline, found: sources, metadataOf, isGone });
  });
}

/** Ids that the found files keep in the collection. */
const namedIn = ({ entries, faults }: FoundDocuments): ReadonlySet<string> =>
  new Set([...entries.map(({ id }) => id), ...faults.map(({ file }) => file)]);

/** Ids that the sources of the other pipelines of the collection name, by pipeline. Throws AppError `sources_unknown` if one can't be read. */
async function sourcesOfOthers(
  call: CommandCall,
  client: Client,
  { workspace, collection, pipeline }: { workspace: string; collection: string; pipeline: string },
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const { pipelines } = await client.listPipelines();
  const named = new Map<string, ReadonlySet<string>>();
  for (const { name, ...other } of pipelines) {
    if (name === pipeline || other.collection !== collection) continue;
    const { spec } = await client.getPipeline(name);
    if (spec === undefined) {
      const message = `The pipeline ${name} has the same collection, and its sources can't be read.`;
      throw new AppError("conflict", "sources_unknown", message, {
        details: { hint: "Mend or delete it, so that this sync deletes none of its documents." },
      });
    }
    named.set(name, namedIn(await call.shell.parts.findSources(workspace, sourcesOf(spec))));
  }
  return named;
}

/**
 * Other pipelines that stored documents and still name them. A document keeps its pipeline: it would otherwise be replaced, and embedded
 * again, by each sync of the pipelines that name it.
 */
async function ownersOf(
  client: Client,
  collection: string,
  others: ReadonlyMap<string, ReadonlySet<string>>,
): Promise<ReadonlyMap<string, string>> {
  const owners = new Map<string, string>();
  if (others.size === 0) return owners;
  for (const { id, metadata } of await documentsOf(client, collection)) {
    const owner = metadata.synced_by;
    if (typeof owner === "string" && others.get(owner)?.has(id)) owners.set(id, owner);
  }
  return owners;
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
  metadataOf: (id: string) => Record<string, unknown>;
  /** Returns true if a document of the collection must be deleted. Absent: none is deleted. */
  isGone?: (document: KnownDocument) => Promise<boolean>;
}

async function take(call: CommandCall, client: Client, work: Work): Promise<ExitCode> {
  const { screen } = call;
  const { collection, found } = work;
  const report: IngestReport = {
    collection,
    created: [],
    replaced: [],
    unchanged: 0,
    chunks: 0,
    deleted: [],
    empty: [],
    losses: [],
    failed: found.faults.map(({ file, message }) => ({ file, error: "not_a_document", message })),
  };
  if (!screen.json) {
    for (const { file, message } of found.faults) screen.say(paint("red", "failed"), `  ${file}  ${message}`);
  }
  try {
    await uploadDocuments(call, client, { ...work, entries: found.entries }, report);
    if (work.isGone !== undefined || found.empty.length > 0) await prune(call, client, work, report);
  } catch (thrown) {
    // Ingested documents stay, whatever ended the rest.
    if (!screen.json) sayReport(call, report, found);
    throw thrown;
  }
  if (screen.json) screen.document(report);
  else sayReport(call, report, found);
  return report.failed.length === 0 ? exitCodes.ok : exitCodes.failed;
}

/** Deletes the documents that are gone, and reports the files that are empty but whose documents stay. */
async function prune(
  { signal, screen }: CommandCall,
  client: Client,
  { isGone, found }: Work,
  report: IngestReport,
): Promise<void> {
  const empty = new Set(found.empty);
  for (const document of await documentsOf(client, report.collection)) {
    signal.throwIfAborted();
    if (!(await isGone?.(document))) {
      if (!empty.has(document.id)) continue;
      report.empty.push(document.id);
      if (!screen.json)
        screen.say(
          paint("yellow", "empty"),
          `  ${document.id}  The file is empty; its document is unchanged. argosy rag delete ${report.collection} ${document.id} deletes it.`,
        );
      continue;
    }
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

function sayReport(
  { screen }: CommandCall,
  report: IngestReport,
  { entries, otherKinds }: FoundDocuments,
): void {
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
