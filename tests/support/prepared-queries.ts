import { Database } from "bun:sqlite";

/**
 * Returns the queries of drizzle's that are built and prepared while `work` runs. A hot path has none: each takes longer to build than to
 * execute, so it belongs into a `statement`. The commit queue's own commands are in capital letters and aren't counted.
 */
export async function queriesBuiltBy(work: () => Promise<unknown>): Promise<string[]> {
  const { query } = Database.prototype;
  const built: string[] = [];
  Database.prototype.query = function (this: Database, text: string) {
    if (/^(select|insert|update|delete|with) /.test(text)) built.push(text);
    return query.call(this, text);
  } as typeof query;
  try {
    await work();
  } finally {
    Database.prototype.query = query;
  }
  return built;
}
