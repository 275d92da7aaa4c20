import { batchOf, lanceStore, someCollection } from "../../../../support/lance-store.ts";

/** A line that a child prints before and after each step. */
export interface Step {
  kind: "add" | "replace" | "remove" | "optimize" | "drop" | "index";
  at: "begin" | "done";
  /** The rows of the step; all have the text `text`. */
  ids: string[];
  text: string;
}

/** Works on the collection in `folder` in an endless loop, and prints each step. Ids begin with `name`, which is unique to each child. */
async function work(folder: string, name: string, mode: string): Promise<void> {
  const store = lanceStore(folder);
  const { signal } = new AbortController();
  let collection = await store.open(someCollection, 2);
  const step = async (kind: Step["kind"], ids: string[], text: string, action: () => Promise<unknown>) => {
    const tell = (at: Step["at"]) => process.stdout.write(`${JSON.stringify({ kind, at, ids, text })}\n`);
    tell("begin");
    await action();
    tell("done");
  };
  if (mode === "indexing") await step("index", [], "", async () => store.maintain?.(signal));
  for (let round = 0; ; round++) {
    const ids = Array.from({ length: 40 }, (_, at) => `${name}-${round}-${at}`);
    const add = (text: string) => collection.add(batchOf(ids.map((id) => ({ id, text }))));
    await step("add", ids, "first", () => add("first"));
    await step("replace", ids, "second", () => add("second"));
    const removed = ids.slice(0, 20);
    await step("remove", removed, "", () => collection.remove({ ids: removed }));
    await step("optimize", [], "", async () => store.maintain?.(signal));
    if (mode !== "dropping") continue;
    await step("drop", [], "", () => store.drop(someCollection));
    collection = await store.open(someCollection, 2);
  }
}

if (import.meta.main) {
  const [folder = "", name = "", mode = ""] = process.argv.slice(2);
  await work(folder, name, mode);
}
