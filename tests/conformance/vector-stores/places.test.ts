import { expect, test } from "bun:test";
import { onEachVectorStore } from "../../support/vector-stores.ts";

onEachVectorStore("places", (tested) => {
  test("a place keeps its id, for every process and for many requests at once", async () => {
    await using store = tested.open();
    const places = await Promise.all([store.place(), store.place(), store.place()]);
    if (!tested.keepsRows) {
      expect(places).toEqual([undefined, undefined, undefined]);
      return;
    }
    const id = (await store.place())?.id;
    expect(id).toBeString();
    await using other = tested.open();
    expect((await other.place())?.id).toBe(id ?? "");
  });

  test("a place that was emptied has another id", async () => {
    await using store = tested.open();
    const before = await store.place();
    // A folder is emptied by removing it, which its own tests do.
    if (before === undefined || tested.backend === "lancedb") return;
    await store.drop({ tenant: "", kind: "place", name: "place" });
    expect((await store.place())?.id).not.toBe(before.id);
  });
});
