import { join, relative, resolve } from "node:path";
import type { ConversationSettings } from "../../../../engine/memory/memory-strategy.ts";
import type { Problem } from "../../../../kit/app-error.ts";
import { postgresAddressFault, redisAddressFault } from "../../../../kit/database-address.ts";
import { invalidManifest } from "../../../../manifest/fault.ts";

/** Location of stored conversations. `name` contains no secrets and is the same for the same place. */
export type MemoryPlace =
  | { kind: "installation"; name: string }
  | { kind: "process"; name: string }
  | { kind: "sqlite"; name: string; address: string }
  | { kind: "postgres"; name: string; address: string }
  | { kind: "redis"; name: string; address: string };

/** Settings that decide where conversations are stored. */
export interface PlaceSettings {
  workspace: string;
  dataFolder: string;
  databaseUrl?: string;
  redisUrl?: string;
}

const path = "spec.memory.conversational";

/**
 * Returns the place for conversations that a manifest selects, without opening it. Throws AppError `invalid_manifest` if this configuration
 * doesn't provide it.
 */
export function placeOf(settings: ConversationSettings | undefined, config: PlaceSettings): MemoryPlace {
  const url = settings?.connection?.url;
  const backend = settings?.backend ?? backendOf(url) ?? (config.databaseUrl ? "postgres" : "sqlite");
  switch (backend) {
    case "memory":
      if (url !== undefined)
        throw refused("connection", "can't be honoured: the backend memory has no address");
      return { kind: "process", name: "memory" };
    case "redis":
      return redisPlace(url, config);
    case "postgres":
      return postgresPlace(url, config);
    case "sqlite":
      return sqlitePlace(url, config);
  }
}

/** Returns the place of a stored address, whose kind follows from its form. */
export function placeAt(address: string): MemoryPlace {
  const kind = backendOf(address);
  if (kind === "redis" || kind === "postgres") return { kind, name: nameOf(address), address };
  return { kind: "sqlite", name: `sqlite:${address}`, address };
}

function backendOf(url: string | undefined): "redis" | "postgres" | "sqlite" | undefined {
  if (url === undefined) return undefined;
  if (/^rediss?:/.test(url)) return "redis";
  return /^postgres(ql)?:/.test(url) ? "postgres" : "sqlite";
}

function redisPlace(url: string | undefined, { redisUrl }: PlaceSettings): MemoryPlace {
  const address = url ?? redisUrl;
  if (address === undefined) {
    throw refused("backend", "redis needs a server: set REDIS_URL, or connection.url beside it");
  }
  const fault = redisAddressFault(address);
  if (fault !== undefined) throw refused("connection.url", `must be ${fault}`);
  return { kind: "redis", name: nameOf(address), address };
}

function postgresPlace(url: string | undefined, { databaseUrl }: PlaceSettings): MemoryPlace {
  const address = url ?? databaseUrl;
  if (address === undefined) {
    throw refused("backend", "postgres needs a server: set DATABASE_URL, or connection.url beside it");
  }
  if (address === databaseUrl) return { kind: "installation", name: "installation" };
  const fault = postgresAddressFault(address);
  if (fault !== undefined) throw refused("connection.url", `must be ${fault}`);
  return { kind: "postgres", name: nameOf(address), address };
}

/** Subfolder of the data folder for such files. Everything else there belongs to the installation. */
const filesFolder = "memory";

function sqlitePlace(
  url: string | undefined,
  { workspace, dataFolder, databaseUrl }: PlaceSettings,
): MemoryPlace {
  const own = resolve(dataFolder, filesFolder);
  if (url === undefined) {
    if (databaseUrl === undefined) return { kind: "installation", name: "installation" };
    return sqliteAt(join(own, "conversations.db"));
  }
  const given = url.replace(/^(?:sqlite|file):(?:\/\/)?/, "");
  const file = resolve(workspace, given);
  const isAllowed = isBelow(file, own) || (isBelow(file, workspace) && !isBelow(file, dataFolder));
  if (/^[a-z][a-z0-9+.-]*:/i.test(given) || !/\.(db|sqlite3?)$/.test(file) || !isAllowed) {
    throw refused(
      "connection.url",
      `must be a file that ends in .db or .sqlite, in the workspace or in ${filesFolder}/ of the data folder: sqlite:memory/chats.db`,
    );
  }
  return sqliteAt(file);
}

const sqliteAt = (file: string): MemoryPlace => ({ kind: "sqlite", name: `sqlite:${file}`, address: file });

function isBelow(file: string, folder: string): boolean {
  const way = relative(folder, file);
  return way !== "" && way !== ".." && !way.startsWith("../") && !way.startsWith("/");
}

/** Address without user, password and options. */
function nameOf(address: string): string {
  const { protocol, host, pathname } = new URL(address);
  return `${protocol}//${host}${pathname}`;
}

function refused(key: string, message: string): Error {
  const problems: Problem[] = [{ path: `${path}.${key}`, message }];
  return invalidManifest(problems);
}
