import { existsSync } from "node:fs";
import { dieWithParent } from "../../../kit/process/die-with-parent.ts";
import { runSqlite, type SqliteReply, type SqliteRequest } from "./run-sqlite.ts";

const FAULT_CHARS_MAX = 300;

/**
 * The child's side of `createSqliteProcess`: answers each request line with one JSON line until its input or its parent ends. It runs as
 * its own process, because SQLite statements can't be stopped from outside.
 */
export async function runSqlChild(): Promise<void> {
  dieWithParent();
  process.stdout.write("\n");
  for await (const line of console) {
    process.stdout.write(`${JSON.stringify(reply(JSON.parse(line)))}\n`);
  }
}

function reply(request: SqliteRequest): SqliteReply {
  try {
    return { answer: runSqlite(request) };
  } catch (thrown) {
    return { fault: faultOf(thrown, request) };
  }
}

function faultOf(thrown: unknown, { path, readOnly }: SqliteRequest): string {
  const message = thrown instanceof Error ? thrown.message : "it failed";
  // An interrupted write can only be rolled back by a connection that may write.
  if (readOnly && message.includes("readonly") && existsSync(`${path}-journal`)) {
    return "another program was cut off while it changed the database, and has to open it again first";
  }
  return message.replaceAll(path, "the database").slice(0, FAULT_CHARS_MAX);
}
