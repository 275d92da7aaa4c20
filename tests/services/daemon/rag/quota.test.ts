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
    const worlds = [one, one.beside("another")];
    const outcomes = await Promise.all(
      Array.from({ length: 10 }, (_, at) =>
        worlds[at % 2]
          ?.ingest([{ id: `d${at}`, text: `text ${at}` }], {
            quota,
            collection: at < 5 ? "notes" : "letters",
          })
          .then(([document]) => document?.status, codeOf),
      ),
    );
    expect(outcomes.filter((outcome) => outcome === "created")).toHaveLength(4);
    expect(outcomes.filter((outcome) => outcome === "document_limit_reached")).toHaveLength(6);
    const kept = await collectionsOf(one);
    expect(kept.reduce((sum, { documents }) => sum + documents, 0)).toBe(4);
  });

  test("holds for collections that two processes make at once", async () => {
    await using storage = await engine.open({ service: "daemon", tables: ragWorldTables });
    const one = ragWorld(storage);
    const worlds = [one, one.beside("another")];
    const outcomes = await Promise.all(
      ["a", "b", "c", "d", "a", "b"].map((collection, at) =>
        worlds[at % 2]
          ?.ingest([{ id: `d${at}`, text: `text ${at}` }], {
            quota: { ...quota, documentsMax: null },
            collection,
          })
          .then(([document]) => document?.status, codeOf),
      ),
    );
    expect(outcomes).toContain("collection_limit_reached");
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
