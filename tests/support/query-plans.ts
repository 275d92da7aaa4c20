import { Database } from "bun:sqlite";
import { spyOn } from "bun:test";

/** Returns SQLite's plan of each statement that `perform` executes on the tables' database and that begins with one of these words. */
export async function plansOf(
  perform: () => Promise<unknown>,
  words: readonly string[],
): Promise<{ text: string; steps: string[] }[]> {
  const query = spyOn(Database.prototype, "query");
  try {
    await perform();
    return query.mock.calls.flatMap(([text], at) => {
      if (!words.some((word) => text.startsWith(word))) return [];
      const database = query.mock.contexts[at] as Database;
      using plan = database.prepare<{ detail: string }, []>(`explain query plan ${text}`);
      return [{ text, steps: plan.all().map(({ detail }) => detail) }];
    });
  } finally {
    query.mockRestore();
  }
}
