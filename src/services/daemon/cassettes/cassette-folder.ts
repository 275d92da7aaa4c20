import { mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import {
  type CassetteSummary,
  cassetteExtension,
} from "../../../contracts/daemon/cassettes/cassette-file.ts";
import type { CassetteList } from "../../../contracts/daemon/cassettes/cassettes.ts";
import { readHead } from "../../../engine/cassettes/read-cassette.ts";
import type { RenderedCassette } from "../../../engine/cassettes/record/render-cassette.ts";
import { AppError } from "../../../kit/app-error.ts";
import { operatorTenant } from "../operator-tenant.ts";

/** The first line holds a summary whose texts are bounded. */
const headBytesMax = 16 * 1024;

/**
 * Cassettes of this installation, one file each, `<id>.cassette.json`, readable by its owner only. The operator's are in the folder itself;
 * each other tenant has its own subfolder.
 */
export interface CassetteFolder {
  /** Writes a cassette completely or not at all. Throws AppError `cassette_unwritable`. */
  keep(tenant: string, cassette: RenderedCassette): Promise<void>;
  /** Returns the path of a cassette; undefined if there is none. */
  find(tenant: string, id: string): Promise<string | undefined>;
  /** Newest first. */
  list(
    tenant: string,
    query: { agent?: string; traceId?: string; limit: number },
  ): Promise<CassetteList["cassettes"]>;
  /** Deletes a cassette. Returns false if there is none. */
  remove(tenant: string, id: string): Promise<boolean>;
}

export function openCassetteFolder(path: string, kept: (bytes: number) => Promise<void>): CassetteFolder {
  const folderOf = (tenant: string) =>
    tenant === operatorTenant ? path : join(path, `@${encodeURIComponent(tenant)}`);
  const fileOf = (tenant: string, id: string) => join(folderOf(tenant), `${id}${cassetteExtension}`);
  return {
    async keep(tenant, { summary, text }) {
      if (!isId(summary.id)) throw new TypeError("A cassette is named after its trace.");
      await writeWhole(fileOf(tenant, summary.id), text);
      await kept(Buffer.byteLength(text));
    },
    async find(tenant, id) {
      if (!isId(id)) return undefined;
      const file = fileOf(tenant, id);
      return (await sizeOf(file)) === undefined ? undefined : file;
    },
    async list(tenant, { agent, traceId, limit }) {
      const cassettes: CassetteList["cassettes"] = [];
      const folder = folderOf(tenant);
      // Ids sort by creation time.
      const names = traceId === undefined ? (await namesIn(folder)).sort().reverse() : namesOf(traceId);
      for (const name of names) {
        if (cassettes.length >= limit) break;
        const entry = await readSummary(join(folder, name));
        if (entry !== undefined && (agent === undefined || entry.agent === agent)) cassettes.push(entry);
      }
      return cassettes;
    },
    async remove(tenant, id) {
      if (!isId(id)) return false;
      try {
        await rm(fileOf(tenant, id));
        return true;
      } catch {
        return false;
      }
    },
  };
}

/** Accepts only trace ids, which can't lead out of the folder. */
function isId(id: string): boolean {
  return /^[0-9A-Za-z-]{1,64}$/.test(id);
}

/** A cassette has the name of its trace. */
function namesOf(traceId: string): string[] {
  return isId(traceId) ? [`${traceId}${cassetteExtension}`] : [];
}

async function namesIn(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  return names.filter((name) => name.endsWith(cassetteExtension));
}

async function sizeOf(file: string): Promise<number | undefined> {
  const status = await stat(file).catch(() => undefined);
  return status?.isFile() === true ? status.size : undefined;
}

/** Reads the summary from a file's first line; undefined if the file is not a cassette or was deleted. */
async function readSummary(file: string): Promise<(CassetteSummary & { bytes: number }) | undefined> {
  try {
    const handle = await open(file, "r");
    try {
      const { size } = await handle.stat();
      const { bytesRead, buffer } = await handle.read(Buffer.alloc(headBytesMax), 0, headBytesMax, 0);
      const [line = ""] = buffer.toString("utf8", 0, bytesRead).split("\n", 1);
      const summary = readHead(line);
      return summary && { ...summary, bytes: size };
    } finally {
      await handle.close();
    }
  } catch {
    return undefined;
  }
}

/** Writes a file atomically: readers see the whole file or none, and a failed attempt leaves nothing behind. */
async function writeWhole(file: string, text: string): Promise<void> {
  const unfinished = `${file}.tmp`;
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    const handle = await open(unfinished, "w", 0o600);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(unfinished, file);
  } catch (cause) {
    await rm(unfinished, { force: true }).catch(() => undefined);
    const code = String((cause as { code?: unknown }).code);
    const reason = reasons[code] ?? "the data folder can't be written";
    throw new AppError("unavailable", "cassette_unwritable", `The recording was not stored: ${reason}.`, {
      cause,
    });
  }
}

const reasons: Readonly<Record<string, string>> = {
  ENOSPC: "the disk is full",
  EDQUOT: "the disk is full",
  EROFS: "the disk is read-only",
};
