import type { Problem } from "../../kit/app-error.ts";
import { didYouMean } from "../../kit/text/did-you-mean.ts";
import { repeatedWorker, type Worker } from "../../kit/worker.ts";
import { invalidManifest } from "../../manifest/fault.ts";
import { chromaKind } from "./chroma/chroma-kind.ts";
import { lanceKind } from "./lancedb/lance-kind.ts";
import type { LoadLance } from "./lancedb/native/load-lance.ts";
import { memoryKind } from "./memory/memory-kind.ts";
import { pgvectorKind } from "./pgvector/pgvector-kind.ts";
import { qdrantKind } from "./qdrant/qdrant-kind.ts";
import { storeUnavailable } from "./store-failure.ts";
import type {
  ResolvedSettings,
  VectorStoreKind,
  VectorStorePorts,
  VectorStoreSettings,
} from "./store-kind.ts";
import type { VectorStore } from "./vector-store.ts";

/** Registry of all kinds of stores. */
export const vectorStoreKinds: ReadonlyMap<string, VectorStoreKind> = new Map(
  [lanceKind, pgvectorKind, qdrantKind, chromaKind, memoryKind].map((kind) => [kind.name, kind]),
);

/** Allowed values of `backend`. */
export const vectorStoreNames: readonly string[] = [...vectorStoreKinds.keys()];

export interface VectorStores {
  /**
   * Returns the same store for equal settings; nothing is loaded or called before its first use. Throws AppError `invalid_manifest` whose
   * problems have the invalid settings.
   */
  storeOf(settings: VectorStoreSettings): VectorStore;
  /** Problems for which `storeOf` would refuse the settings; paths are names of settings. */
  problemsOf(settings: VectorStoreSettings): Problem[];
  /** Maintains the stores that are in use. */
  worker(): Worker;
  /** Maintains what this process has written, before it ends. */
  finish(): Promise<void>;
  /** Closes all stores; they can't be used afterwards. */
  close(): Promise<void>;
}

const maintenanceMs = 60_000;

export function createVectorStores(ports: VectorStorePorts): VectorStores {
  const { clock, log, defaults = {} } = ports;
  const stores = new Map<string, VectorStore>();
  const buildPorts = { ...ports, loadLance: lanceLoader(ports) };
  let closed = false;

  const problemsOf = (settings: VectorStoreSettings) => {
    const resolved = resolve(settings, defaults);
    const kind = vectorStoreKinds.get(resolved.backend);
    return kind ? kind.problems(resolved, ports) : [unknownBackend(resolved.backend)];
  };

  /** Maintains one store after the other. Searches work without it, so a failure is only logged; the next maintenance tries again. */
  const tendEach = async (tend: (store: VectorStore) => Promise<void> | undefined, signal?: AbortSignal) => {
    for (const store of stores.values()) {
      try {
        await tend(store);
      } catch (err) {
        if (!signal?.aborted) log.warn("vectors.maintenance_failed", { backend: store.backend, err });
      }
    }
  };

  return {
    problemsOf,
    storeOf(settings) {
      const resolved = resolve(settings, defaults);
      const { backend, url, dsn, api_key_env } = resolved;
      const name = JSON.stringify([backend, url, dsn, api_key_env]);
      const known = stores.get(name);
      if (known) return known;
      const kind = vectorStoreKinds.get(backend);
      const problems = problemsOf(settings);
      if (!kind || problems.length > 0) throw invalidManifest(problems);
      const store = lazyStore(backend, () => kind.build(resolved, buildPorts));
      if (closed) void store.close();
      stores.set(name, store);
      return store;
    },
    worker: () =>
      repeatedWorker(
        "vectors",
        maintenanceMs,
        clock,
        (signal) => tendEach((store) => store.maintain?.(signal), signal),
        { afterMs: maintenanceMs, roundMs: 60 * maintenanceMs },
      ),
    finish: () => tendEach((store) => store.finish?.()),
    async close() {
      closed = true;
      await Promise.all([...stores.values()].map((store) => store.close()));
    },
  };
}

/** LanceDB, loaded once for all stores on first use. */
function lanceLoader({ dataFolder, cacheFolder, log }: VectorStorePorts): LoadLance {
  let load: LoadLance | undefined;
  return async () => {
    const { createLanceLoader } = await import("./lancedb/native/load-lance.ts");
    load ??= createLanceLoader({ dataFolder, cacheFolder, log });
    return load();
  };
}

/** Applies the installation's settings if a manifest uses the same store. */
function resolve(settings: VectorStoreSettings, defaults: VectorStoreSettings): ResolvedSettings {
  const standard = defaults.backend ?? "lancedb";
  const backend = settings.backend ?? standard;
  if (backend !== standard) return { ...settings, backend };
  const hasOwnPlace = settings.url !== undefined || settings.dsn !== undefined;
  // A key is sent only to the server for which it was configured.
  if (hasOwnPlace) return { ...settings, backend };
  return {
    backend,
    url: defaults.url,
    dsn: defaults.dsn,
    api_key_env: settings.api_key_env ?? defaults.api_key_env,
  };
}

function unknownBackend(backend: string): Problem {
  const meant = didYouMean(backend, vectorStoreNames);
  const hint = meant ? `did you mean ${meant}?` : `it is one of ${vectorStoreNames.join(", ")}`;
  return { path: "backend", message: `has no store named ${JSON.stringify(backend)}; ${hint}` };
}

/** A store that is loaded on first use; maintenance and closing don't load it. */
function lazyStore(backend: string, load: () => Promise<VectorStore>): VectorStore {
  let loading: Promise<VectorStore> | undefined;
  let loaded: VectorStore | undefined;
  let closed = false;
  const store = () => {
    if (closed) throw storeUnavailable("The vector store is closed.");
    loading ??= load().then(
      (made) => {
        loaded = made;
        return made;
      },
      (thrown) => {
        // The next caller tries again.
        loading = undefined;
        throw thrown;
      },
    );
    return loading;
  };

  return {
    backend,
    open: async (key, dimension) => (await store()).open(key, dimension),
    drop: async (key) => (await store()).drop(key),
    place: async () => (await store()).place(),
    check: async () => (await store()).check(),
    maintain: async (signal) => loaded?.maintain?.(signal),
    finish: async () => loaded?.finish?.(),
    async close() {
      closed = true;
      await (await loading?.catch(() => undefined))?.close();
    },
  };
}
