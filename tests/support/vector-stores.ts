import { afterAll, beforeAll, describe } from "bun:test";
import { join } from "node:path";
import { type Clock, systemClock } from "../../src/kit/clock.ts";
import { silentLogger } from "../../src/kit/log.ts";
import { PostgresServers } from "../../src/kit/postgres/postgres-servers.ts";
import { createChromaStore } from "../../src/retrieval/stores/chroma/chroma-store.ts";
import { createStoreHttp } from "../../src/retrieval/stores/http/store-http.ts";
import { createLanceStore } from "../../src/retrieval/stores/lancedb/lance-store.ts";
import { createLanceLoader } from "../../src/retrieval/stores/lancedb/native/load-lance.ts";
import { createMemoryStore } from "../../src/retrieval/stores/memory/memory-store.ts";
import { createPgvectorStore } from "../../src/retrieval/stores/pgvector/pgvector-store.ts";
import { createQdrantStore } from "../../src/retrieval/stores/qdrant/qdrant-store.ts";
import type { VectorStore } from "../../src/retrieval/stores/vector-store.ts";
import { chromaMissing, startChromaServer } from "./chroma-server.ts";
import { startPgvectorServer } from "./pgvector-server.ts";
import { startQdrantStandIn } from "./qdrant-stand-in.ts";
import { temporaryFolder } from "./temp-folder.ts";
import { testsServers } from "./tested-engines.ts";

/** A server or folder of a store. */
interface Place {
  open(): VectorStore;
  stop(): Promise<void>;
  /** Only servers can fail. */
  server?: { crash(): Promise<void>; start(): Promise<void> };
}

export interface TestStore {
  backend: string;
  /** A store over the suite's server or folder. */
  open(): VectorStore & AsyncDisposable;
  /** True if rows are kept for the next store that opens the place. */
  keepsRows: boolean;
  hasServer: boolean;
  /** Returns the server, once the suite has started. */
  server(): Place["server"];
  /** Skips the time in which calls to a server that failed are refused without asking it. */
  pauseIsOver(): void;
}

interface Kind {
  backend: string;
  title: string;
  /** Why it cannot be tested here. */
  missing?: string | undefined;
  start(): Promise<Place>;
}

/** The system's clock plus the skipped time, so that tests do not wait for the pause after an outage. */
class SkippingClock implements Clock {
  #skippedMs = 0;
  now = () => systemClock.now();
  monotonicMs = () => systemClock.monotonicMs() + this.#skippedMs;
  timer = systemClock.timer;

  skip(ms: number): void {
    this.#skippedMs += ms;
  }
}

const clock = new SkippingClock();

const world = {
  clock,
  random: Math.random,
  fetch: (url: string, init: RequestInit) => fetch(url, init),
};

const embedded: readonly Kind[] = [
  { backend: "memory", title: "memory", start: async () => memoryPlace() },
  { backend: "lancedb", title: "lancedb", start: async () => lancePlace() },
];

const servers: readonly Kind[] = [
  { backend: "pgvector", title: "pgvector (in pglite)", start: pgvectorPlace },
  { backend: "qdrant", title: "qdrant (stand-in, no real server)", start: qdrantPlace },
  { backend: "chroma", title: "chroma", missing: chromaMissing, start: chromaPlace },
];

/**
 * Declares the same tests for each vector store; skips by name those whose server is not installed. A run of embedded engines leaves out the
 * servers.
 */
export function onEachVectorStore(title: string, declare: (store: TestStore) => void): void {
  for (const kind of testsServers ? [...embedded, ...servers] : embedded) {
    const reason = kind.missing === undefined ? "" : ` (${kind.missing})`;
    describe.skipIf(kind.missing !== undefined)(`${title}: ${kind.title}${reason}`, () => {
      let place: Place | undefined;
      beforeAll(async () => {
        place = await kind.start();
      });
      afterAll(() => place?.stop());
      declare({
        backend: kind.backend,
        keepsRows: kind.backend !== "memory",
        hasServer: kind.backend !== "memory" && kind.backend !== "lancedb",
        open() {
          if (!place) throw new Error("The suite hasn't started.");
          const store = place.open();
          return { ...store, [Symbol.asyncDispose]: () => store.close() };
        },
        server: () => place?.server,
        pauseIsOver: () => clock.skip(60_000),
      });
    });
  }
}

function memoryPlace(): Place {
  return { open: () => createMemoryStore(), stop: async () => undefined };
}

function lancePlace(): Place {
  const folder = temporaryFolder();
  const load = createLanceLoader({ dataFolder: folder.path, log: silentLogger });
  const options = { place: join(folder.path, "vectors"), load, clock: systemClock, log: silentLogger };
  return { open: () => createLanceStore(options), stop: async () => folder[Symbol.dispose]() };
}

async function pgvectorPlace(): Promise<Place> {
  const server = await startPgvectorServer();
  // A busy machine may be silent for longer than a product's users would wait.
  const servers = new PostgresServers(systemClock, { hangMs: 120_000 });
  const options = { ...world, url: server.url, servers, connectionsMax: 1, indexedRowsMin: 200 };
  const stop = async () => {
    servers.close();
    await server.stop();
  };
  return { open: () => createPgvectorStore(options), stop, server };
}

async function qdrantPlace(): Promise<Place> {
  const server = await startQdrantStandIn({ apiKey: "qdrant-key" });
  server.forgetful = true;
  const headers = { "api-key": "qdrant-key" };
  const http = createStoreHttp({ ...world, server: "Qdrant", url: server.url, headers });
  return { open: () => createQdrantStore({ http }), stop: server.stop, server };
}

async function chromaPlace(): Promise<Place> {
  const server = await startChromaServer();
  const url = `${server.url}/api/v2/tenants/default_tenant/databases/default_database`;
  const http = createStoreHttp({ ...world, server: "Chroma", url, headers: {} });
  return { open: () => createChromaStore({ http }), stop: server.stop, server };
}
