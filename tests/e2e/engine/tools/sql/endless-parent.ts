/* Runs an endless statement on the given database, and prints the process id. */
import { openSqlTool, sqlChildren } from "../../../../support/sql-tool.ts";

const [, , path = ""] = process.argv;
const tool = openSqlTool("/");
const config = { connection_string: path, statement_timeout_seconds: 60 };
await tool.query(config, { query: "SELECT 1" });
void tool.query(config, {
  query: "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT count(*) FROM c",
});
process.stdout.write(`${sqlChildren()[0]}\n`);
