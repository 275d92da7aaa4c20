import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import type { EpisodicSettings } from "../../../../engine/agents/recall-sources.ts";
import { AppError } from "../../../../kit/app-error.ts";
import { postgresAddressFault } from "../../../../kit/database-address.ts";
import { invalidManifest } from "../../../../manifest/fault.ts";
import { lockOwnFile } from "../../../../storage/sqlite/own-file.ts";
import type { Storage } from "../../../../storage/storage.ts";
import type { EpisodeTables } from "../episodes/schema.ts";
import type { PlaceSettings } from "./conversation-places.ts";
import type { OpenStorage } from "./conversation-stores.ts";

/** Location of stored episodes. */
export type EpisodePlace =
  | { kind: "installation" }
  | { kind: "sqlite"; address: string }
  | { kind: "postgres"; address: string };

const path = "spec.memory.episodic";

/**
 * Returns the place for episodes that a manifest selects, without opening it. Throws AppError `invalid_manifest` if this configuration
 * doesn't provide it.
 */
export function episodePlaceOf(
  { backend, connection }: EpisodicSettings,
  { databaseUrl, dataFolder }: Pick<PlaceSettings, "databaseUrl" | "dataFolder">,
): EpisodePlace {
  const url = connection?.url;
  const isPostgres = backend === "postgres" || (backend === undefined && (url ?? databaseUrl) !== undefined);
  if (isPostgres) {
    const address = url ?? databaseUrl;
    if (address === undefined) {
      throw refused("backend", "postgres needs a server: set DATABASE_URL, or connection.url beside it");
    }
    if (address === databaseUrl) return { kind: "installation" };
    const fault = postgresAddressFault(address);
    if (fault !== undefined) throw refused("connection.url", `must be ${fault}`);
    return { kind: "postgres", address };
  }
  if (url !== undefined) {
    throw refused("connection", "goes with postgres; on sqlite episodes are in the installation's own files");
  }
  if (databaseUrl === undefined) return { kind: "installation" };
  return { kind: "sqlite", address: join(dataFolder, "memory", "episodes.db") };
}

/** Databases with episodes, each opened once, at its first use. */
export interface EpisodePlaces {
  at(settings: EpisodicSettings): () => Promise<Storage<EpisodeTables>>;
  close(): Promise<void>;
}

interface Opened {
  storage: Storage<EpisodeTables>;
  close(): Promise<void>;
}

export function createEpisodePlaces(
  settings: Pick<PlaceSettings, "databaseUrl" | "dataFolder">,
  openStorage: OpenStorage,
  installation: Storage<EpisodeTables>,
): EpisodePlaces {
  const opened = new Map<string, Promise<Opened>>();
  let isClosed = false;
  return {
    at(episodic) {
      const place = episodePlaceOf(episodic, settings);
      if (place.kind === "installation") return async () => installation;
      const { address } = place;
      return async () => {
        if (isClosed) throw new AppError("unavailable", "storage_closed", "Argosy is stopping.");
        const opening = opened.get(address) ?? openPlace(openStorage, place);
        opened.set(address, opening);
        try {
          return (await opening).storage;
        } catch (thrown) {
          // The next use tries again.
          opened.delete(address);
          throw thrown;
        }
      };
    },
    async close() {
      isClosed = true;
      const all = await Promise.allSettled(opened.values());
      for (const one of all) if (one.status === "fulfilled") await one.value.close();
    },
  };
}

async function openPlace(
  openStorage: OpenStorage,
  { kind, address }: Exclude<EpisodePlace, { kind: "installation" }>,
): Promise<Opened> {
  if (kind === "postgres") {
    const storage = await openStorage({ url: address });
    return { storage, close: () => storage.close() };
  }
  mkdirSync(dirname(address), { recursive: true, mode: 0o700 });
  const lock = lockOwnFile(address);
  try {
    const storage = await openStorage({ file: address });
    return {
      storage,
      async close() {
        await storage.close();
        lock.release();
      },
    };
  } catch (thrown) {
    lock.release();
    throw thrown;
  }
}

function refused(key: string, message: string): AppError {
  return invalidManifest([{ path: `${path}.${key}`, message }]);
}
