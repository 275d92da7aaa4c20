import { Command, Option } from "commander";
import type { QueryAnswer, QueryRequest, RagPassage } from "../../contracts/daemon/rag/rag.ts";
import { placeText } from "../../contracts/daemon/rag/text-place.ts";
import { type CommandCall, type Perform, withDaemon } from "../call.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { part, wholeNumber } from "../option-values.ts";
import { paint } from "../terminal/paint.ts";
import type { Screen } from "../terminal/screen.ts";
import { filterOption } from "./filter-option.ts";
import { type CollectionTarget, requireTarget } from "./target.ts";

export const searchModes = ["hybrid", "vector", "text"] as const;

interface QueryOptions extends CollectionTarget {
  topK?: number;
  threshold?: number;
  mode?: NonNullable<QueryRequest["mode"]>;
  filter?: Record<string, Record<string, unknown>>;
  rerank: boolean;
}

export const queryCommand = (perform: Perform) =>
  new Command("query")
    .description("find the passages that best match a question")
    .argument("<text...>", "the question")
    .option("--collection <name>", "the collection to search")
    .option("--pipeline <name>", "the pipeline whose collection and settings are used")
    .option("--top-k <count>", "maximum number of passages (the pipeline's, else 5)", wholeNumber(1000))
    .option("--threshold <score>", "leave out passages with a lower score, 0 to 1", part)
    .addOption(new Option("--mode <mode>", "search mode (the pipeline's)").choices(searchModes))
    .option(
      "--filter <condition>",
      "only passages whose metadata matches: lang=en, 'year>=2020'; repeatable",
      filterOption,
    )
    .option("--no-rerank", "don't rerank, even if the pipeline does")
    .action((words: string[], options: QueryOptions, command: Command) =>
      perform(command, (call) => query(call, words.join(" "), options)),
    );

async function query(call: CommandCall, text: string, options: QueryOptions): Promise<ExitCode> {
  requireTarget(options);
  const { collection, pipeline, topK, threshold, mode, filter, rerank } = options;
  const request: QueryRequest = {
    query: text,
    ...(collection !== undefined && { collection }),
    ...(pipeline !== undefined && { pipeline }),
    ...(topK !== undefined && { top_k: topK }),
    ...(threshold !== undefined && { score_threshold: threshold }),
    ...(mode !== undefined && { mode }),
    ...(filter !== undefined && { filters: filter }),
    ...(!rerank && { rerank }),
  };
  const answer = await withDaemon(call, {}, (client) => client.ragQuery(request, call.signal));
  printPassages(call.screen, answer);
  return exitCodes.ok;
}

/** Prints what a search found. */
export function printPassages(screen: Screen, answer: QueryAnswer): void {
  if (screen.json) screen.document(answer);
  else if (answer.results.length === 0) screen.say("No passage fits.");
  else for (const [index, passage] of answer.results.entries()) printPassage(screen, index + 1, passage);
}

function printPassage(screen: Screen, rank: number, { text, score, metadata, citation }: RagPassage): void {
  const { document_id, chunk, start, end } = citation;
  const title = typeof metadata.title === "string" ? `  ${metadata.title}` : "";
  screen.print(
    paint("dim", `${rank}.`),
    " ",
    paint("bold", document_id),
    ...[placeText(citation)].filter((place) => place !== "").map((place) => `  ${place}`),
    paint("dim", `  score ${score.toFixed(3)}  chunk ${chunk}, characters ${start} to ${end}`),
    title,
  );
  for (const line of text.trim().split("\n")) screen.print(line.trim() === "" ? "" : `   ${line}`);
  screen.print("");
}
