import { expect, test } from "bun:test";
import { toAppError } from "../../../../src/kit/app-error.ts";
import { type RagWorld, ragWorld, ragWorldTables } from "../../../support/rag-world.ts";
import { onEachEngine } from "../../../support/storage-engines.ts";

const quota = { collectionsMax: 2, documentsMax: 4 };

const codeOf = (thrown: unknown) => toAppError(thrown).code;

onEachEngine("a tenant's quota", (engine) => {
  test("holds for documents that two processes write at once, over several collections", async () => {
    await using storage = await engine.open({ service: "daemon", tables: ragWorldTables });
    const one = ragWorld(storage);
    // Each process takes a tenant's documents one after the other.
    const outcomes = await Promise.all(
      [one, one.beside("another")].map(async (world, at) => {
        const seen: (string | undefined)[] = [];
        for (const id of ["a", "b", "c"]) {
          const [collection, document] = [at === 0 ? "notes" : "letters", { id, text: `text ${id}` }];
          seen.push(
            await world.ingest([document], { quota, collection }).then(([taken]) => taken?.status, codeOf),
          );
        }
        return seen;
      }),
    );
    expect(outcomes.flat().sort()).toEqual([
      ...Array.from({ length: 4 }, () => "created"),
      ...Array.from({ length: 2 }, () => "document_limit_reached"),
    ]);
    const kept = await collectionsOf(one);
    expect(kept.reduce((sum, { documents }) => sum + documents, 0)).toBe(4);
  });

  test("holds for collections that two processes make at once", async () => {
    await using storage = await engine.open({ service: "daemon", tables: ragWorldTables });
    const one = ragWorld(storage);
    const outcomes = await Promise.all(
      [one, one.beside("another")].map(async (world, at) => {
        const seen: (string | undefined)[] = [];
        for (const collection of [`own-${at}`, `more-${at}`]) {
          seen.push(
            await world
              .ingest([{ id: "x", text: "text" }], { quota, collection })
              .then(([taken]) => taken?.status, codeOf),
          );
        }
        return seen;
      }),
    );
    expect(outcomes.flat().sort()).toEqual([
      "collection_limit_reached",
      "collection_limit_reached",
      "created",
      "created",
    ]);
    expect(await collectionsOf(one)).toHaveLength(2);
  });

  test("of one tenant says nothing of another's", async () => {
    await using storage = await engine.open({ service: "daemon", tables: ragWorldTables });
    const world = ragWorld(storage);
    const none = { collectionsMax: 1, documentsMax: 1 };
    for (const tenant of ["a", "b"]) {
      expect(await world.ingest([{ id: "x", text: "text" }], { tenant, quota: none })).toMatchObject([
        { status: "created" },
      ]);
    }
    expect(await world.registry.listTenants({ limit: 1 })).toEqual(["a"]);
    expect(await world.registry.listTenants({ after: "a", limit: 5 })).toEqual(["b"]);
  });
});

/** Those of the one tenant that there is. */
async function collectionsOf({ registry }: RagWorld) {
  const [tenant = ""] = await registry.listTenants({ limit: 5 });
  return registry.list(tenant);
}
