import { Command, Option } from "commander";
import type { CollectionQuery } from "../../contracts/platform/collections.ts";
import { allPages, type CommandCall, type Perform, readConfig } from "../call.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { part, requireYes, wholeNumber, yesOption } from "../option-values.ts";
import { type FileOptions, findFiles, withFileOptions } from "../rag/file-options.ts";
import { filterOption } from "../rag/filter-option.ts";
import { printPassages, searchModes } from "../rag/query.ts";
import { type UploadReport, uploadDocuments } from "../rag/upload.ts";
import { paint } from "../terminal/paint.ts";
import { counted } from "../terminal/table.ts";
import { type PlatformOptions, tenantCommand, withTenant } from "./with-platform.ts";

type PutOptions = PlatformOptions & FileOptions;

interface DeleteOptions extends PlatformOptions {
  yes?: boolean;
}

interface QueryOptions extends PlatformOptions {
  topK?: number;
  threshold?: number;
  mode?: NonNullable<CollectionQuery["mode"]>;
  filter?: Record<string, Record<string, unknown>>;
}

export const documentsCommand = (perform: Perform) =>
  new Command("documents")
    .description("manage the documents of a tenant's collections")
    .addCommand(
      tenantCommand("list", "list a collection's documents, sorted by id")
        .argument("<collection>", "a collection's name")
        .action((collection: string, options: PlatformOptions, command: Command) =>
          perform(command, (call) => list(call, collection, options)),
        ),
    )
    .addCommand(
      withFileOptions(
        tenantCommand("put", "add files and folders to a collection")
          .argument("<collection>", "the collection; created if it doesn't exist")
          .argument("<paths...>", "files and folders; a document's id is its path"),
      ).action((collection: string, paths: string[], options: PutOptions, command: Command) =>
        perform(command, (call) => put(call, collection, paths, options)),
      ),
    )
    .addCommand(
      tenantCommand("get", "show a document's chunks")
        .argument("<collection>", "a collection's name")
        .argument("<id>", "the document's id")
        .action((collection: string, id: string, options: PlatformOptions, command: Command) =>
          perform(command, (call) => show(call, collection, id, options)),
        ),
    )
    .addCommand(
      tenantCommand("delete", "delete documents")
        .argument("<collection>", "a collection's name")
        .argument("<ids...>", "ids of documents")
        .addOption(yesOption())
        .action((collection: string, ids: string[], options: DeleteOptions, command: Command) =>
          perform(command, (call) => remove(call, collection, ids, options)),
        ),
    )
    .addCommand(
      tenantCommand("query", "find the passages that best match a question")
        .argument("<collection>", "a collection's name")
        .argument("<text...>", "the question")
        .option("--top-k <count>", "passages at most (5)", wholeNumber(100))
        .option("--threshold <score>", "leave out passages with a lower score, 0 to 1", part)
        .addOption(new Option("--mode <mode>", "what is searched by (hybrid)").choices(searchModes))
        .option(
          "--filter <condition>",
          "only passages whose metadata matches: lang=en, 'year>=2020'; repeatable",
          filterOption,
        )
        .action((collection: string, words: string[], options: QueryOptions, command: Command) =>
          perform(command, (call) => query(call, collection, words.join(" "), options)),
        ),
    );

async function list(call: CommandCall, collection: string, options: PlatformOptions): Promise<ExitCode> {
  const { screen } = call;
  const documents = await withTenant(call, options, (client) =>
    allPages(async (cursor) => {
      call.signal.throwIfAborted();
      const page = await client.listDocuments(collection, { limit: 200, ...(cursor && { cursor }) });
      return { items: page.documents, next: page.next };
    }),
  );
  if (screen.json) screen.document({ documents });
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
  }
  return exitCodes.ok;
}

async function put(
  call: CommandCall,
  collection: string,
  paths: string[],
  options: PutOptions,
): Promise<ExitCode> {
  const { screen, shell } = call;
  const { workspace } = await readConfig(call);
  const files = await findFiles(call, { workspace, folder: shell.folder, paths }, options);
  const report: UploadReport = { created: [], replaced: [], unchanged: 0, chunks: 0, losses: [], failed: [] };
  for (const { file, message } of files.faults) {
    report.failed.push({ file, error: "file_unreadable", message });
    if (!screen.json) screen.say(paint("red", "failed"), `  ${file}  ${message}`);
  }
  if (!screen.json) {
    for (const file of files.empty)
      screen.say(paint("yellow", "empty"), `  ${file}  The file is empty and was not sent.`);
  }
  const plan = { collection, pipeline: undefined, entries: files.entries, metadataOf: () => ({}) };
  await withTenant(call, options, (client) => uploadDocuments(call, client, plan, report));
  const { created, replaced, unchanged, chunks, failed } = report;
  if (screen.json) screen.document({ collection, ...report });
  else {
    screen.say(
      `${collection}: ${created.length} created, ${replaced.length} replaced, ${unchanged} unchanged, ${failed.length} failed; ${counted(chunks, "chunk")}.`,
    );
  }
  return failed.length === 0 ? exitCodes.ok : exitCodes.failed;
}

async function show(
  call: CommandCall,
  collection: string,
  id: string,
  options: PlatformOptions,
): Promise<ExitCode> {
  const { screen } = call;
  const documentText = await withTenant(call, options, async (client) => {
    const document = await client.getDocument(collection, id);
    const chunks = await allPages(async (cursor) => {
      call.signal.throwIfAborted();
      const page = await client.listChunks(collection, id, { limit: 200, ...(cursor && { cursor }) });
      return { items: page.chunks, next: page.next };
    });
    return { ...document, text: chunks };
  });
  if (screen.json) screen.document(documentText);
  else {
    const { chunks, characters, updated_at, metadata } = documentText;
    screen.print(
      paint("bold", id),
      paint("dim", `  ${counted(chunks, "chunk")}, ${characters} characters, ${updated_at}`),
    );
    if (Object.keys(metadata).length > 0) screen.print(paint("dim", JSON.stringify(metadata)));
    for (const { text, chunk, start, end } of documentText.text) {
      screen.print("");
      screen.print(paint("dim", `chunk ${chunk}, characters ${start} to ${end}`));
      for (const line of text.split("\n")) screen.print(line);
    }
  }
  return exitCodes.ok;
}

async function remove(
  call: CommandCall,
  collection: string,
  ids: string[],
  options: DeleteOptions,
): Promise<ExitCode> {
  const { screen } = call;
  requireYes(options, `This would delete ${counted(ids.length, "document")} of ${collection}.`);
  const deleted: string[] = [];
  await withTenant(call, options, async (client) => {
    for (const id of new Set(ids)) {
      call.signal.throwIfAborted();
      await client.deleteDocument(collection, id);
      deleted.push(id);
      if (!screen.json) screen.say(`${id} is deleted.`);
    }
  });
  if (screen.json) screen.document({ collection, deleted });
  return exitCodes.ok;
}

async function query(
  call: CommandCall,
  collection: string,
  text: string,
  { topK, threshold, mode, filter, ...options }: QueryOptions,
): Promise<ExitCode> {
  const request: CollectionQuery = {
    query: text,
    ...(topK !== undefined && { top_k: topK }),
    ...(threshold !== undefined && { score_threshold: threshold }),
    ...(mode !== undefined && { mode }),
    ...(filter !== undefined && { filters: filter }),
  };
  const answer = await withTenant(call, options, (client) =>
    client.queryCollection(collection, request, call.signal),
  );
  printPassages(call.screen, answer);
  return exitCodes.ok;
}
