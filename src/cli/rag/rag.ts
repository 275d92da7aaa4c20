import { Command } from "commander";
import type { Perform } from "../call.ts";
import { deleteCommand, reindexCommand } from "./change.ts";
import { evalCommand } from "./eval.ts";
import { ingestCommand, syncCommand } from "./ingest.ts";
import { collectionsCommand, documentsCommand, jobsCommand } from "./lists.ts";
import { queryCommand } from "./query.ts";

const commands = [
  ingestCommand,
  syncCommand,
  queryCommand,
  evalCommand,
  collectionsCommand,
  documentsCommand,
  deleteCommand,
  reindexCommand,
  jobsCommand,
];

export const ragCommand = (perform: Perform) => {
  const command = new Command("rag").description("add documents to collections and search them");
  for (const define of commands) command.addCommand(define(perform));
  return command;
};
