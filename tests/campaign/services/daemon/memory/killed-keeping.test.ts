import { expect, test } from "bun:test";
import { join } from "node:path";
import { drawnNumbers } from "../../../../support/drawn-numbers.ts";
import { killWhen } from "../../../../support/killed-process.ts";
import { lanceStore } from "../../../../support/lance-store.ts";
import { stagedMemories } from "../../../../support/staged-memories.ts";
import { temporaryFolder } from "../../../../support/temp-folder.ts";

const kills = 10;
const random = drawnNumbers("kills of a keeper of memories");

test(`killed ${kills} times while keeping: all that was acknowledged is found, once`, async () => {
  using folder = temporaryFolder();
  const acknowledged: string[] = [];
  for (let kill = 0; kill < kills; kill++) {
    const command = [join(import.meta.dir, "keep-child.ts"), folder.path, `k${kill}`];
    const enough = 3 + kill * 5;
    const turns = () => Math.floor(random() * 200);
    acknowledged.push(...(await killWhen(command, (lines) => lines.length >= enough, turns)));
  }
  const store = lanceStore(folder.path);
  await using memories = await stagedMemories({ folder: folder.path, store });
  memories.parts.semanticOf({ embedder: "local_hash", max_results: 10 });
  memories.parts.episodicOf({ max_results: 5 });
  const owner = { tenant: "t", agent: "a" };
  const { signal } = new AbortController();
  const waiting = () => memories.storage.read.$count(memories.storage.tables.memoryWrites);
  // A text during whose writing three processes died waits until a person has it tried again.
  for (let round = 0; round < 20 && (await waiting()) > 0; round++) {
    await memories.semantic.writer.retry(owner);
    await memories.semantic.writer.settled(owner, signal);
    await memories.semantic.writer.idle();
  }
  const rows = (await memories.texts[0]?.list(owner, {}, { limit: 1_000_000, signal })) ?? [];
  const texts = rows.map(({ text }) => text);
  expect(new Set(texts).size).toBe(texts.length);
  for (const query of acknowledged) {
    expect(texts).toContain(query);
    expect(texts).toContain(`re ${query}`);
  }
  const episodes = (await memories.episodes[0]?.page(owner, {}, { limit: 1_000_000 })) ?? [];
  const summaries = episodes.map(({ summary }) => summary);
  expect(new Set(summaries).size).toBe(summaries.length);
  for (const query of acknowledged) expect(summaries).toContain(query);
  expect(await memories.storage.read.select().from(memories.storage.tables.memoryWrites)).toEqual([]);
  await store.close();
});
