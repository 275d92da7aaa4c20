import { Command } from "commander";
import type { RagJob } from "../../contracts/daemon/rag/rag-jobs.ts";
import { AppError } from "../../kit/app-error.ts";
import { sleep, systemClock } from "../../kit/clock.ts";
import { type CommandCall, type Perform, withDaemon } from "../call.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { counted } from "../terminal/table.ts";
import { createProgress } from "./progress.ts";
import type { Client } from "./target.ts";

const LOOK_MS = 250;

export const deleteCommand = (perform: Perform) =>
  new Command("delete")
    .description("delete a collection or some of its documents")
    .argument("<collection>", "a collection's name")
    .argument("[documents...]", "ids of documents (default: the whole collection)")
    .action((collection: string, documents: string[], _options: object, command: Command) =>
      perform(command, (call) =>
        documents.length === 0
          ? deleteCollection(call, collection)
          : deleteDocuments(call, collection, documents),
      ),
    );

export const reindexCommand = (perform: Perform) =>
  new Command("reindex")
    .description("rebuild a collection's vectors with its current embedder")
    .argument("<collection>", "a collection's name")
    .option("--pipeline <name>", "the pipeline whose settings are used (the collection's own)")
    .option("--forget-lost", "forget documents whose texts are lost, and use the current vector store")
    .action((collection: string, options: ReindexOptions, command: Command) =>
      perform(command, (call) => reindex(call, collection, options)),
    );

interface ReindexOptions {
  pipeline?: string;
  forgetLost?: boolean;
}

async function deleteCollection(call: CommandCall, collection: string): Promise<ExitCode> {
  const { screen } = call;
  const deleted = await withDaemon(call, {}, (client) => client.deleteCollection(collection));
  if (screen.json) screen.document(deleted);
  else screen.say(`Deleted ${collection} with ${counted(deleted.documents, "document")}.`);
  return exitCodes.ok;
}

async function deleteDocuments(
  call: CommandCall,
  collection: string,
  ids: readonly string[],
): Promise<ExitCode> {
  const { screen } = call;
  const deleted: string[] = [];
  await withDaemon(call, {}, async (client) => {
    for (const id of new Set(ids)) {
      call.signal.throwIfAborted();
      await client.deleteDocument(collection, id);
      deleted.push(id);
      if (!screen.json) screen.say(`${id} is deleted.`);
    }
  });
  if (screen.json) screen.document({ status: "deleted", collection, documents: deleted });
  return exitCodes.ok;
}

/** Waits for the end of the job, which without a server would end with this process. */
async function reindex(
  call: CommandCall,
  collection: string,
  { pipeline, forgetLost }: ReindexOptions,
): Promise<ExitCode> {
  const { screen } = call;
  const job = await withDaemon(call, {}, async (client) => {
    const { job_id } = await client.reindexCollection(collection, {
      ...(pipeline !== undefined && { pipeline }),
      ...(forgetLost && { forget_lost: true }),
    });
    return ended(call, client, job_id);
  });
  if (screen.json) screen.document(job);
  else if (job.status === "completed")
    screen.say(`Re-indexed ${collection}: ${counted(job.chunks, "chunk")}.${forgottenIn(job)}`);
  if (job.status === "completed") return exitCodes.ok;
  if (screen.json) return exitCodes.failed;
  const why = job.error === undefined ? `The job is ${job.status}.` : job.error.message;
  throw new AppError("unprocessable", job.error?.error ?? "job_unfinished", why);
}

function forgottenIn({ failed }: RagJob): string {
  if (failed.length === 0) return "";
  const ids = failed.slice(0, 5).map(({ id }) => id);
  const more = failed.length > ids.length ? " …" : "";
  return ` Removed documents with lost texts: ${ids.join(", ")}${more}. Ingest them again; argosy rag jobs --json lists them.`;
}

async function ended(call: CommandCall, client: Client, id: string): Promise<RagJob> {
  const progress = createProgress(call);
  try {
    for (;;) {
      const job = await client.getRagJob(id);
      if (job.status !== "queued" && job.status !== "running") return job;
      progress.show(job.documents_done, job.documents_total, job.collection);
      await sleep(systemClock, LOOK_MS, call.signal);
    }
  } finally {
    progress.clear();
  }
}
