import { stat, statfs } from "node:fs/promises";
import { join } from "node:path";
import type {
  RetentionRule,
  StorageReport,
  StoredDatabase,
  StoredTable,
} from "../../../contracts/daemon/storage-report.ts";
import type { Clock } from "../../../kit/clock.ts";
import { measureFolders } from "../../../storage/files/folder-sizes.ts";
import { measureStorage } from "../../../storage/measure-storage.ts";
import type { Storage } from "../../../storage/storage.ts";
import type { SizeDays } from "./size-days.ts";

/** Records that a service deletes when they are too old. */
export interface Retained extends Omit<RetentionRule, "service" | "due"> {
  /** Reads what reaches its age within a day, cheaply. */
  due?(): Promise<NonNullable<RetentionRule["due"]>>;
}

export interface StorageReportDeps {
  clock: Clock;
  dataFolder: string;
  storages(): { service: string; storage: Storage }[];
  retained(): readonly { service: string; retained: Retained }[];
  sizeDays: SizeDays;
}

const filesMax = 50_000;
const tablesMax = 20;
const freshMs = 10_000;

/** Returns a function that measures the data of this process, at most once in 10 seconds however often it is called. */
export function storageReporter(deps: StorageReportDeps): () => Promise<StorageReport> {
  let last: { atMs: number; report: Promise<StorageReport> } | undefined;
  return () => {
    const nowMs = deps.clock.now().getTime();
    if (last === undefined || nowMs - last.atMs >= freshMs) {
      const measured = { atMs: nowMs, report: measure(deps) };
      last = measured;
      // A failure is not kept.
      measured.report.catch(() => {
        if (last === measured) last = undefined;
      });
    }
    return last.report;
  };
}

async function measure(deps: StorageReportDeps): Promise<StorageReport> {
  const { clock, dataFolder } = deps;
  const at = clock.now();
  const databases: StoredDatabase[] = [];
  const tables: StoredTable[] = [];
  for (const { service, storage } of deps.storages()) {
    const { sizeBytes, reusableBytes, tables: measured } = await measureStorage(storage, service);
    const isFile = storage.dialect === "sqlite";
    databases.push({
      service,
      size_bytes: sizeBytes,
      log_bytes: isFile ? await sizeOf(join(dataFolder, `${service}.db-wal`)) : null,
      reusable_bytes: reusableBytes,
    });
    for (const { table, rows, sizeBytes: size } of measured)
      tables.push({ service, table, rows, size_bytes: size });
  }
  const folders = (await measureFolders(dataFolder, { filesMax, isSkipped: isDatabaseFile(databases) }))
    .filter(({ files }) => files > 0)
    .sort((one, other) => other.sizeBytes - one.sizeBytes)
    .map(({ name, sizeBytes, files, isComplete }) => ({
      name,
      size_bytes: sizeBytes,
      files,
      complete: isComplete,
    }));
  const all = [...databases, ...folders].reduce((sum, { size_bytes: size }) => sum + size, 0);
  return {
    at: at.toISOString(),
    data_folder: dataFolder,
    engine: deps.storages().some(({ storage }) => storage.dialect === "postgres") ? "postgres" : "sqlite",
    disk: await diskOf(dataFolder),
    databases,
    folders,
    tables: tables.filter(hasRows).sort(largestFirst).slice(0, tablesMax),
    retention: await retentionOf(deps),
    days: deps.sizeDays.record(at, all),
  };
}

/** An empty table has a size in PostgreSQL only, of its indexes. */
const hasRows = ({ rows, size_bytes: size }: StoredTable): boolean => rows !== 0 || size !== null;

const largestFirst = (one: StoredTable, other: StoredTable): number =>
  (other.size_bytes ?? 0) - (one.size_bytes ?? 0) || (other.rows ?? 0) - (one.rows ?? 0);

function isDatabaseFile(databases: readonly StoredDatabase[]): (name: string) => boolean {
  const names = new Set(
    databases.flatMap(({ service }) => ["", "-wal", "-shm"].map((ending) => `${service}.db${ending}`)),
  );
  return (name) => names.has(name);
}

async function retentionOf({ retained }: StorageReportDeps): Promise<RetentionRule[]> {
  const rules: RetentionRule[] = [];
  for (const { service, retained: rule } of retained()) {
    const { due, ...stated } = rule;
    rules.push({ service, ...stated, due: due === undefined ? null : await due() });
  }
  return rules;
}

async function sizeOf(path: string): Promise<number> {
  return (await stat(path).catch(() => undefined))?.size ?? 0;
}

async function diskOf(path: string): Promise<StorageReport["disk"]> {
  const facts = await statfs(path).catch(() => undefined);
  if (facts === undefined) return null;
  return { free_bytes: facts.bavail * facts.bsize, total_bytes: facts.blocks * facts.bsize };
}
