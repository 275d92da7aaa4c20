import { Command } from "commander";
import type { CollectionView } from "../../contracts/daemon/rag/rag.ts";
import type { RagJob } from "../../contracts/daemon/rag/rag-jobs.ts";
import { type CommandCall, type Perform, withDaemon } from "../call.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { wholeNumber } from "../option-values.ts";
import { type Inline, paint } from "../terminal/paint.ts";
import { counted } from "../terminal/table.ts";

export const collectionsCommand = (perform: Perform) =>
  new Command("collections")
    .description("list collections with their numbers of documents and chunks")
    .action((_options: object, command: Command) => perform(command, listCollections));

export const documentsCommand = (perform: Perform) =>
  new Command("documents")
    .description("list a collection's documents, sorted by id")
    .argument("<collection>", "a collection's name")
    .option("--limit <count>", "number of rows (100)", wholeNumber(1_000_000))
    .action((collection: string, { limit = 100 }: { limit?: number }, command: Command) =>
      perform(command, (call) => listDocuments(call, collection, limit)),
    );

export const jobsCommand = (perform: Perform) =>
  new Command("jobs")
    .description("list ingest and re-index jobs")
    .option("--limit <count>", "number of rows, 1 to 100 (20)", wholeNumber(100))
    .action(({ limit = 20 }: { limit?: number }, command: Command) =>
      perform(command, (call) => listJobs(call, limit)),
    );

async function listCollections(call: CommandCall): Promise<ExitCode> {
  const { screen } = call;
  const list = await withDaemon(call, {}, (client) => client.listCollections());
  if (screen.json) screen.document(list);
  else if (list.collections.length === 0) {
    screen.say("There are no collections. Fill one with: argosy rag ingest <folder> --collection <name>");
  } else {
    screen.table(
      ["COLLECTION", "DOCUMENTS", "CHUNKS", "STATUS", "EMBEDDER", "BACKEND", "PIPELINES"],
      list.collections.map((collection) => [
        paint("bold", collection.name),
        String(collection.documents),
        String(collection.chunks),
        statusOf(collection),
        `${collection.embedder} (${collection.dimension})`,
        collection.backend,
        collection.pipelines.join(", "),
      ]),
    );
    for (const { name, status } of list.collections) {
      if (status !== "reindex_needed") continue;
      screen.say(
        `${name} was built with another embedder than its settings name. Run: argosy rag reindex ${name}`,
      );
    }
  }
  return exitCodes.ok;
}

function statusOf({ status }: CollectionView): Inline {
  return status === "ready" ? paint("green", status) : paint("yellow", status.replaceAll("_", " "));
}

async function listDocuments(call: CommandCall, collection: string, limit: number): Promise<ExitCode> {
  const { screen } = call;
  const { documents, next } = await withDaemon(call, {}, async (client) => {
    let page = await client.listDocuments(collection, { limit: Math.min(limit, 100) });
    const all = [...page.documents];
    while (page.next !== undefined && all.length < limit) {
      call.signal.throwIfAborted();
      page = await client.listDocuments(collection, {
        limit: Math.min(limit - all.length, 100),
        cursor: page.next,
      });
      all.push(...page.documents);
    }
    return { documents: all, next: page.next };
  });
  if (screen.json) screen.document({ documents, ...(next !== undefined && { next }) });
  else if (documents.length === 0) screen.say(`${collection} has no documents.`);
  else {
    screen.table(
      ["DOCUMENT", "CHUNKS", "CHARACTERS", "UPDATED", "TITLE"],
      documents.map(({ id, chunks, characters, updated_at, metadata }) => [
        paint("bold", id),
        String(chunks),
        String(characters),
        updated_at,
        typeof metadata.title === "string" ? metadata.title : "",
      ]),
    );
    if (next !== undefined) screen.say(`There are more than ${counted(limit, "document")}. Use --limit.`);
  }
  return exitCodes.ok;
}

async function listJobs(call: CommandCall, limit: number): Promise<ExitCode> {
  const { screen } = call;
  const list = await withDaemon(call, {}, (client) => client.listRagJobs(limit));
  if (screen.json) screen.document(list);
  else if (list.jobs.length === 0) screen.say("There are no jobs.");
  else {
    screen.table(
      ["JOB", "KIND", "COLLECTION", "STATUS", "DOCUMENTS", "CHUNKS", "CREATED"],
      list.jobs.map((job) => [
        job.job_id,
        job.kind,
        job.collection,
        jobStatus(job),
        `${job.documents_done}/${job.documents_total}${job.reading === undefined ? "" : ` (page ${job.reading.page} of ${job.reading.pages})`}`,
        String(job.chunks),
        job.created_at,
      ]),
    );
    for (const { job_id, error } of list.jobs) {
      if (error !== undefined) screen.say(paint("red", "failed"), ` ${job_id}: ${error.message}`);
    }
  }
  return exitCodes.ok;
}

function jobStatus({ status }: RagJob): Inline {
  if (status === "completed") return paint("green", status);
  return status === "failed" || status === "interrupted" ? paint("red", status) : status;
}
