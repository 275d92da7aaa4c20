import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { childCommand } from "../../../../src/compose/child-command.ts";
import { loadConfig } from "../../../../src/compose/load-config.ts";
import { newId } from "../../../../src/kit/id.ts";
import { silentLogger } from "../../../../src/kit/log.ts";
import { MetricRegistry } from "../../../../src/kit/metrics.ts";
import { createMemoryStore } from "../../../../src/retrieval/stores/memory/memory-store.ts";
import { observeVariables } from "../../../../src/services/daemon/manifests/observed-variables.ts";
import { createDaemonMetrics } from "../../../../src/services/daemon/metrics/daemon-metrics.ts";
import { operatorTenant } from "../../../../src/services/daemon/operator-tenant.ts";
import { openRag } from "../../../../src/services/daemon/rag/open-rag.ts";
import { ragTables } from "../../../../src/services/daemon/rag/registry/schema.ts";
import { senderTerms } from "../../../../src/services/daemon/untrusted/sender-terms.ts";
import { FakeClock } from "../../../support/fake-clock.ts";
import { noPackages } from "../../../support/no-packages.ts";
import { wordEmbedder } from "../../../support/rag-world.ts";
import { onEachEngine } from "../../../support/storage-engines.ts";
import { temporaryFolder } from "../../../support/temp-folder.ts";

const { signal } = new AbortController();

onEachEngine("knowledge of agents", ({ open }) => {
  test("comes from pipelines and collections of their own tenant alone", async () => {
    using folder = temporaryFolder();
    mkdirSync(join(folder.path, "rag"));
    const manifest = {
      apiVersion: "platform/v1",
      kind: "RAGPipeline",
      metadata: { name: "handbook" },
      spec: { collection: "shelf", retrieval: { top_k: 2 } },
    };
    writeFileSync(join(folder.path, "rag/handbook.rag.yaml"), JSON.stringify(manifest));
    await using storage = await open({ tables: ragTables });
    const clock = new FakeClock();
    const store = createMemoryStore();
    const embedder = wordEmbedder();
    const config = loadConfig({ workspace: folder.path });
    const retrieval = {
      storeOf: () => store,
      embedderOf: () => embedder,
      rerankerOf: () => {
        throw new Error("There is no reranker.");
      },
    };
    const { knowledge, close } = await openRag(config, {
      storage,
      retrieval,
      untrusted: { retrieval, terms: senderTerms(config, { variable: () => undefined }) },
      variables: observeVariables(() => undefined),
      documentsChanged: async () => undefined,
      packages: noPackages,
      watchIngests() {},
      metrics: createDaemonMetrics(new MetricRegistry(), () => ({ inFlight: 0, waiting: 0 })),
      readerCommand: childCommand("document-child"),
      clock,
      newId,
      log: silentLogger,
    });
    const handbook = knowledge.pipeline(operatorTenant, "handbook");
    expect(knowledge.pipeline(operatorTenant, "others")).toBeUndefined();
    expect(knowledge.pipeline("tenant", "handbook")).toBeUndefined();
    expect(await handbook?.query({ query: "word", signal })).toEqual([]);

    const first = await handbook?.ingest({ text: "word of ours", metadata: { a: 1 }, signal });
    expect(first).toMatchObject({ chunksCreated: 1 });
    const again = await handbook?.ingest({ text: "word of ours", metadata: { a: 1 }, signal });
    expect(again).toEqual({ documentId: first?.documentId ?? "", chunksCreated: 0 });
    const shelf = knowledge.collection(operatorTenant, "shelf");
    expect(await shelf.query({ query: "word", signal })).toMatchObject([
      { text: "word of ours", metadata: { a: 1 }, citation: { documentId: first?.documentId, chunk: 0 } },
    ]);

    // Another tenant has its own collection of that name.
    const theirs = knowledge.collection("tenant", "shelf");
    expect(await theirs.query({ query: "word", signal })).toEqual([]);
    await theirs.ingest({ text: "word of theirs", metadata: {}, signal });
    const texts = async (from: typeof theirs) =>
      (await from.query({ query: "word", topK: 10, signal })).map(({ text }) => text);
    expect([await texts(shelf), await texts(theirs)]).toEqual([["word of ours"], ["word of theirs"]]);

    const refused = await shelf.ingest({ text: "\0", metadata: {}, signal }).catch((thrown) => thrown);
    expect(refused).toMatchObject({ code: "invalid_request" });
    const hot = { scoreThreshold: 0.99, filter: { a: { eq: 1 } } };
    expect(await shelf.query({ query: "word of ours", ...hot, signal })).toHaveLength(1);
    expect(await shelf.query({ query: "word of others", ...hot, signal })).toEqual([]);
    await close();
  });
});
