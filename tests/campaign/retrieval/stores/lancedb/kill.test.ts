import { expect, test } from "bun:test";
import { cpSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { indexedFromRows } from "../../../../../src/retrieval/stores/lancedb/index-policy.ts";
import { drawnNumbers } from "../../../../support/drawn-numbers.ts";
import { killWhen } from "../../../../support/killed-process.ts";
import { asked, batchOf, lanceStore, someCollection } from "../../../../support/lance-store.ts";
import { temporaryFolder } from "../../../../support/temp-folder.ts";
import type { Step } from "./kill-child.ts";

const random = drawnNumbers("kills of a LanceDB writer");

/** Kills a child in the middle of its `nth` step of that kind; resolves with its whole output. */
async function killDuring(
  folder: string,
  name: string,
  kind: Step["kind"],
  nth: number,
  turnsMax = 400,
): Promise<Step[]> {
  const mode = kind === "drop" ? "dropping" : kind === "index" ? "indexing" : "keeping";
  const parsed = (lines: readonly string[]) =>
    lines.filter((line) => line !== "").map((line): Step => JSON.parse(line));
  const isEnough = (lines: readonly string[]) =>
    parsed(lines).filter((step) => step.kind === kind && step.at === "begin").length >= nth;
  // At a drawn point in the step: a few turns of the event loop later.
  const turns = () => Math.floor(random() * turnsMax);
  const command = [join(import.meta.dir, "kill-child.ts"), folder, name, mode];
  return parsed(await killWhen(command, isEnough, turns));
}

/**
 * Returns the expected content of the collection by the child's output. An unfinished last step may have happened completely or not at all.
 */
function expectedTexts(before: ReadonlyMap<string, string>, steps: readonly Step[]) {
  const sure = new Map(before);
  const apply = (texts: Map<string, string>, { kind, ids, text }: Step) => {
    if (kind === "drop") texts.clear();
    for (const id of ids)
      if (kind === "remove") texts.delete(id);
      else texts.set(id, text);
  };
  for (const step of steps) if (step.at === "done") apply(sure, step);
  const last = steps.at(-1);
  const perhaps = new Map(sure);
  if (last?.at === "begin") apply(perhaps, last);
  return [sure, perhaps];
}

const kinds = ["add", "replace", "remove", "optimize", "drop"] as const;

test.each(kinds)("killed five times during %s: all that was acknowledged is there, once", async (kind) => {
  using folder = temporaryFolder();
  let texts: ReadonlyMap<string, string> = new Map();
  let interrupted = 0;
  for (let kill = 0; kill < 5; kill++) {
    const steps = await killDuring(folder.path, `c${kill}`, kind, 1 + (kill % 4));
    if (steps.at(-1)?.at === "begin") interrupted++;
    const store = lanceStore(folder.path);
    const collection = await store.open(someCollection, 2);
    const listed = await collection.list({}, { limit: 100_000 });
    expect(new Set(listed.map(({ id }) => id)).size).toBe(listed.length);
    expect(await collection.count()).toBe(listed.length);
    const found = new Map(listed.map(({ id, text }) => [id, text]));
    const outcomes = expectedTexts(texts, steps);
    expect(outcomes).toContainEqual(found);
    // Both kinds of search see the same rows.
    const nearest = await collection.nearest(asked([1, 0], 100_000));
    expect(nearest).toHaveLength(listed.length);
    const second = await collection.matching?.({ ...asked([1, 0], 100_000), text: "second" });
    expect(second).toHaveLength(listed.filter(({ text }) => text === "second").length);
    texts = found;
    await store.maintain?.(new AbortController().signal);
    expect(await collection.count()).toBe(listed.length);
    await store.close();
  }
  // If all kills fell between two steps, the test would prove nothing.
  expect(interrupted).toBeGreaterThan(0);
});

test("killed three times while the index over vectors is built: it is built the next time", async () => {
  using folder = temporaryFolder();
  const store = lanceStore(folder.path);
  const collection = await store.open(someCollection, 2);
  const count = indexedFromRows + 500;
  const rows = Array.from({ length: count }, (_, at) => ({
    id: `id${at}`,
    vector: [Math.cos(at), Math.sin(at)],
  }));
  await collection.add(batchOf(rows));
  await store.close();
  for (let kill = 0; kill < 3; kill++) {
    const copy = join(folder.path, `copy${kill}`);
    cpSync(join(folder.path, "vectors"), join(copy, "vectors"), { recursive: true });
    await killDuring(copy, "", "index", 1, 20_000);
    const again = lanceStore(copy);
    const opened = await again.open(someCollection, 2);
    await again.maintain?.(new AbortController().signal);
    const expected = Array.from({ length: count }, (_, at) => `id${at}`);
    const listed = await opened.list({}, { limit: count + 100 });
    expect(listed.map(({ id }) => id).filter((id) => id.startsWith("id"))).toEqual(expected.toSorted());
    const found = await opened.nearest(asked([1, 0], 5));
    expect(found.map(({ score }) => score.toFixed(3))).toEqual(Array.from({ length: 5 }, () => "1.000"));
    const [table = ""] = readdirSync(join(copy, "vectors"));
    expect(readdirSync(join(copy, "vectors", table, "_indices")).length).toBeGreaterThan(1);
    await again.close();
  }
});
