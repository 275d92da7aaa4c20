import { mkdirSync, realpathSync } from "node:fs";
import { dirname, sep } from "node:path";
import type { ConversationArchive } from "../../../../engine/memory/conversation.ts";
import { expiring, withoutSecrets } from "../../../../engine/memory/conversation-views.ts";
import type { ConversationSettings } from "../../../../engine/memory/memory-strategy.ts";
import { AppError } from "../../../../kit/app-error.ts";
import type { Clock } from "../../../../kit/clock.ts";
import type { NewId } from "../../../../kit/id.ts";
import type { Logger } from "../../../../kit/log.ts";
import type { SecretRegistry } from "../../../../kit/secrets/secret-registry.ts";
import type { Sealer } from "../../../../storage/sealing/seal.ts";
import { lockOwnFile } from "../../../../storage/sqlite/own-file.ts";
import type { Storage } from "../../../../storage/storage.ts";
import { requireOwnRun } from "../../durable-runs/fence.ts";
import type { DaemonTables } from "../../tables.ts";
import { inProcessConversations } from "../stores/in-process-store.ts";
import { announcedStore, lazyStore } from "../stores/lazy-store.ts";
import { type MemoryLocation, MemoryLocations } from "../stores/memory-locations.ts";
import { cacheSessions } from "../stores/session-cache.ts";
import { adoptSessions } from "../stores/sql/adopt-sessions.ts";
import { conversationStore } from "../stores/sql/sql-store.ts";
import { type MemoryPlace, type PlaceSettings, placeAt, placeOf } from "./conversation-places.ts";

/** Stores of conversations, each opened once, at its first use. */
export interface ConversationStores {
  /** Returns the store that a manifest selects, with its time to live. Throws AppError `invalid_manifest` if it isn't available. */
  of(settings: ConversationSettings | undefined): ConversationArchive;
  /** Returns the store at a place, independent of any agent. */
  at(place: MemoryPlace): ConversationArchive;
  installation: ConversationArchive;
  /** Conversations in the process; undefined while no agent uses them. */
  inProcess(): ConversationArchive | undefined;
  locations: MemoryLocations;
  close(): Promise<void>;
}

/** Opens a storage with the daemon's tables besides the installation's own. */
export type OpenStorage = (place: { file: string } | { url: string }) => Promise<Storage<DaemonTables>>;

export interface StoreParts {
  config: PlaceSettings & { knownSecrets: Pick<SecretRegistry, "mask"> };
  openStorage: OpenStorage;
  sealer: Sealer | undefined;
  clock: Clock;
  newId: NewId;
  log: Logger;
}

interface Opened {
  store: ConversationArchive;
  close(): Promise<void>;
}

export async function openConversationStores(
  parts: StoreParts,
  storage: Storage<DaemonTables>,
): Promise<ConversationStores> {
  const { config, clock, log, newId, sealer } = parts;
  const maskKnown = (text: string) => config.knownSecrets.mask(text);
  await adoptSessions(storage);
  const own = conversationStore(storage, newId, (tx, fence) => requireOwnRun(tx, storage.tables, fence));
  // A SQLite file has this process as its only writer; PostgreSQL may have several.
  const installation = withoutSecrets(storage.dialect === "sqlite" ? cacheSessions(own) : own, maskKnown);
  let inProcess: ConversationArchive | undefined;
  const opened = new Map<string, Promise<Opened>>();
  const shared = new Map<string, ConversationArchive>();
  let isClosed = false;

  const reach = (place: Exclude<MemoryPlace, { kind: "installation" | "process" }>) => {
    const known = shared.get(place.address);
    if (known !== undefined) return known;
    const open = async () => {
      if (isClosed) throw new AppError("unavailable", "storage_closed", "Argosy is stopping.");
      const opening = opened.get(place.address) ?? openPlace(parts, place);
      opened.set(place.address, opening);
      try {
        return (await opening).store;
      } catch (thrown) {
        // The next use tries again.
        opened.delete(place.address);
        throw thrown;
      }
    };
    const store = withoutSecrets(
      lazyStore(open, (thrown) => unavailable(place, thrown)),
      maskKnown,
    );
    shared.set(place.address, store);
    return store;
  };
  const locations = new MemoryLocations({
    storage,
    sealer,
    clock,
    log,
    storeAt(name, address) {
      const known = address ?? [...shared.keys()].find((one) => placeAt(one).name === name);
      const place = known === undefined ? undefined : placeAt(known);
      return place === undefined || place.kind === "installation" || place.kind === "process"
        ? undefined
        : reach(place);
    },
  });
  const at = (place: MemoryPlace): ConversationArchive => {
    if (place.kind === "installation") return installation;
    if (place.kind !== "process") return reach(place);
    inProcess ??= withoutSecrets(inProcessConversations(), maskKnown);
    return inProcess;
  };
  const storeIn = (place: MemoryPlace): ConversationArchive => {
    if (place.kind === "installation" || place.kind === "process") return at(place);
    const noted: MemoryLocation = place;
    return announcedStore(at(place), (key) => locations.record(key, noted));
  };

  return {
    of(settings) {
      const store = storeIn(placeOf(settings, config));
      const ttl = settings?.ttl_seconds;
      return ttl === undefined ? store : expiring(store, ttl * 1000, clock);
    },
    at,
    installation,
    inProcess: () => inProcess,
    locations,
    async close() {
      isClosed = true;
      const all = await Promise.allSettled(opened.values());
      for (const one of all) if (one.status === "fulfilled") await one.value.close();
    },
  };
}

async function openPlace(
  { config, openStorage, clock, newId }: StoreParts,
  place: Exclude<MemoryPlace, { kind: "installation" | "process" }>,
): Promise<Opened> {
  if (place.kind === "redis") {
    const [{ openRedis }, { redisConversations }] = await Promise.all([
      import("../../../../storage/redis/open-redis.ts"),
      import("../stores/redis/redis-store.ts"),
    ]);
    const redis = openRedis(place.address, clock);
    return { store: redisConversations(redis, newId), close: async () => redis.close() };
  }
  if (place.kind === "postgres") {
    const storage = await openStorage({ url: place.address });
    await adoptSessions(storage);
    return { store: conversationStore(storage, newId), close: () => storage.close() };
  }
  const file = place.address;
  requireInside(file, [config.workspace, config.dataFolder]);
  const lock = lockOwnFile(file);
  try {
    const storage = await openStorage({ file });
    await adoptSessions(storage);
    return {
      store: cacheSessions(conversationStore(storage, newId)),
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

/** Creates the file's folder. Refuses a link that leads out of the installation. */
function requireInside(file: string, folders: readonly string[]): void {
  const folder = dirname(file);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const real = `${realpathSync(folder)}${sep}`;
    if (folders.some((one) => real.startsWith(`${realpathSync(one)}${sep}`))) return;
  } catch (cause) {
    throw new AppError("unavailable", "storage_unavailable", `The folder ${folder} can't be used.`, {
      cause,
    });
  }
  throw new AppError(
    "unavailable",
    "storage_unavailable",
    `The folder ${folder} is a link to somewhere else.`,
  );
}

/** Explains a store's own failures to the user of an agent. Errors about the request stay unchanged. */
function unavailable({ kind, name }: MemoryPlace, thrown: unknown): unknown {
  if (!(thrown instanceof AppError) || thrown.kind !== "unavailable" || thrown.code === "memory_unavailable")
    return thrown;
  const fix =
    kind === "sqlite"
      ? "Mend that, or name another file in spec.memory.conversational.connection.url."
      : `Start the server at ${name}, or correct its address: spec.memory.conversational.connection.url, or ${kind === "redis" ? "REDIS_URL" : "DATABASE_URL"}.`;
  return new AppError(
    "unavailable",
    "memory_unavailable",
    `The conversations of this agent are kept at ${name}: ${thrown.message}`,
    { details: { hint: `${fix} Nothing else has to be done: it is tried again each time.` }, cause: thrown },
  );
}
