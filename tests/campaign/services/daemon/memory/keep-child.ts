import { newId } from "../../../../../src/kit/id.ts";
import { lanceStore } from "../../../../support/lance-store.ts";
import { stagedMemories } from "../../../../support/staged-memories.ts";

/** Keeps exchanges in an endless loop, several at once, and prints each kept one on a line; names begin with `name`. */
async function keep(folder: string, name: string): Promise<void> {
  const memories = await stagedMemories({ folder, store: lanceStore(folder) });
  memories.parts.semanticOf({ embedder: "local_hash", max_results: 10 });
  memories.parts.episodicOf({ max_results: 5 });
  const [texts] = memories.texts;
  const [episodes] = memories.episodes;
  const scope = { tenant: "t", agent: "a", sessionId: name, user: undefined };
  for (let number = 0; ; number += 4) {
    const said = [0, 1, 2, 3].map((step) => `${name} ${number + step}`);
    await Promise.all(
      said.map(async (query) => {
        const at = new Date();
        await texts?.keep(scope, { query, response: `re ${query}`, traceId: newId(), at });
        await episodes?.record(scope, {
          event_type: "run",
          summary: query,
          context: {},
          outcome: "ok",
          timestamp: at.toISOString(),
          importance: 0.5,
        });
        process.stdout.write(`${query}\n`);
      }),
    );
  }
}

if (import.meta.main) {
  const [folder = "", name = ""] = process.argv.slice(2);
  await keep(folder, name);
}
