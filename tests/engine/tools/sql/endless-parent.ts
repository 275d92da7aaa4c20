/* Runs a statement without end on the database it is given, and says which process that is. */
import { openSqlTool, sqlChildren } from "../../../support/sql-tool.ts";

const [, , path = ""] = process.argv;
const tool = openSqlTool("/");
const config = { connection_string: path, statement_timeout_seconds: 60 };
await tool.query(config, { query: "SELECT 1" });
void tool.query(config, {
  query: "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT count(*) FROM c",
});
process.stdout.write(`${sqlChildren()[0]}\n`);
