import { Database } from "bun:sqlite";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { childCommand } from "../../src/compose/child-command.ts";
import { builtinWith } from "../../src/engine/tools/bind-builtin.ts";
import { builtinTools } from "../../src/engine/tools/builtin/registry.ts";
import { createSqlRunner } from "../../src/engine/tools/sql/sql-runner.ts";
import type { Tool } from "../../src/engine/tools/tool.ts";
import { createMemoryCache } from "../../src/engine/tools/tool-cache.ts";
import { systemClock } from "../../src/kit/clock.ts";
import { type SmtpServer, startSmtpServer } from "./smtp-server.ts";
import { temporaryFolder } from "./temp-folder.ts";
import { testNetwork } from "./test-network.ts";
import { toolPorts } from "./tool-ports.ts";

/** A folder, a database and a mail server, with the tools that reach them. */
export interface ToolWorld extends AsyncDisposable {
  /** The file tools may use `data/allowed`, and sql_query reads `letters.db`. */
  folder: string;
  mail: SmtpServer;
  tool(name: "read_file" | "write_file" | "sql_query" | "send_email" | "http_request"): Tool;
  /** Writes `file.txt` with this text in the folder that file tools may use. */
  putFile(text: string): string;
  /** Inserts a text for sql_query: `SELECT line FROM letter`. */
  putRow(text: string): void;
  /** Returns every path below the folder. */
  files(): string[];
}

export async function openToolWorld(): Promise<ToolWorld> {
  const folder = temporaryFolder();
  const mail = await startSmtpServer();
  const allowed = join(folder.path, "data/allowed");
  mkdirSync(allowed, { recursive: true });
  const database = join(folder.path, "letters.db");
  const edit = (change: (open: Database) => void) => {
    using open = new Database(database);
    change(open);
  };
  edit((open) => open.run("CREATE TABLE letter(line TEXT)"));
  const files = { workspace: folder.path, offLimits: [] };
  const sql = createSqlRunner({ clock: systemClock, childCommand: childCommand("sql-child"), files });
  const templates = {
    compile: () => ({ names: new Set<string>(), render: () => "" }),
    renderUntrusted: async () => "",
    close() {},
  };
  const ports = toolPorts({
    templates,
    cache: createMemoryCache(systemClock),
    clock: systemClock,
    files,
    sql,
    network: testNetwork(),
  });
  const config = {
    read_file: { allowed_paths: [allowed] },
    write_file: { allowed_paths: [allowed] },
    http_request: {},
    sql_query: { connection_string: database },
    send_email: {
      smtp_host: "127.0.0.1",
      smtp_port: mail.port,
      from_address: "clerk@example.com",
      allowed_recipients: ["*@example.com"],
    },
  };
  return {
    folder: folder.path,
    mail,
    tool(name) {
      const builtin = builtinTools.get(name);
      if (builtin === undefined) throw new Error(`no tool ${name}`);
      return builtinWith(builtin, config[name], ports).tool;
    },
    putFile(text) {
      const path = join(allowed, "file.txt");
      writeFileSync(path, text);
      return path;
    },
    putRow: (text) =>
      edit((open) => {
        open.run("DELETE FROM letter");
        open.run("INSERT INTO letter VALUES (?)", [text]);
      }),
    files: () => readdirSync(folder.path, { recursive: true }).map(String).sort(),
    async [Symbol.asyncDispose]() {
      sql.close();
      await mail[Symbol.asyncDispose]();
      folder[Symbol.dispose]();
    },
  };
}
