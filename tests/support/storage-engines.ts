import { Database } from "bun:sqlite";
import { describe } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "../../src/kit/clock.ts";
import { silentLogger } from "../../src/kit/log.ts";
import { PostgresServers } from "../../src/kit/postgres/postgres-servers.ts";
import type { ServiceMigrations } from "../../src/storage/migration.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import type { Storage, StorageOptions } from "../../src/storage/storage.ts";
import type { Columns, Dialect } from "../../src/storage/tables/columns.ts";
import { lendDatabase } from "./lent-databases.ts";
import { postgresMissing, postgresServer } from "./postgres.ts";
import { temporaryFolder } from "./temp-folder.ts";
import { testsServers } from "./tested-engines.ts";

/** Options of `openStorage` that an engine does not supply itself. */
type Wanted<Tables> = Pick<StorageOptions<Tables>, "tables"> & Partial<StorageOptions<Tables>>;

export interface TestEngine {
  dialect: Dialect;
  /** Opens a storage in a new empty database, closed and removed at the end of the `using` block. */
  open<Tables extends object>(wanted: Wanted<Tables>): Promise<Storage<Tables> & AsyncDisposable>;
}

export const sqliteEngine: TestEngine = { dialect: "sqlite", open: (wanted) => openNew(wanted) };

export const postgresEngine: TestEngine = {
  dialect: "postgres",
  async open(wanted) {
    const server = await postgresServer();
    if (wanted.migrations !== undefined) return openNew({ ...wanted, url: await server.createDatabase() });
    const service = wanted.service ?? "sample";
    const migrations = await firstMigrations(service, wanted.tables);
    // Each storage of the same tables begins alike.
    const kind = JSON.stringify([service, migrations.postgres]);
    const lent = await lendDatabase(server, kind, async (url) => {
      const storage = await openNew({ ...wanted, url, migrations });
      await storage[Symbol.asyncDispose]();
    });
    const storage = await openNew({ ...wanted, url: lent.url, migrations });
    return {
      ...storage,
      async [Symbol.asyncDispose]() {
        await storage[Symbol.asyncDispose]();
        await lent[Symbol.asyncDispose]();
      },
    };
  },
};

/**
 * Declares the same tests once for SQLite and once for PostgreSQL. PostgreSQL's are skipped by name if it isn't installed, and not declared
 * in a run of embedded engines alone.
 */
export function onEachEngine(title: string, declare: (engine: TestEngine) => void): void {
  describe(`${title} on sqlite`, () => declare(sqliteEngine));
  if (!testsServers) return;
  const reason = postgresMissing === undefined ? "" : ` (${postgresMissing})`;
  describe.skipIf(postgresMissing !== undefined)(`${title} on postgres${reason}`, () =>
    declare(postgresEngine),
  );
}

/** Migrated SQLite files without rows, by their steps: a copy takes less than half the time of migrating. */
const templates = new WeakMap<ServiceMigrations, Uint8Array>();

/** A server shared by many tests on a busy machine may be silent for longer than a product's users would wait. */
const patienceMs = 120_000;

/** Opens a storage at `url`, or in a new file. */
export async function openNew<Tables extends object>(
  wanted: Wanted<Tables>,
): Promise<Storage<Tables> & AsyncDisposable> {
  const folder = temporaryFolder();
  const service = wanted.service ?? "sample";
  const migrations = wanted.migrations ?? (await firstMigrations(service, wanted.tables));
  const file = join(folder.path, `${service}.db`);
  const isOrdinary = [wanted.migrations, wanted.url, wanted.folder, wanted.file].every(
    (given) => given === undefined,
  );
  const template = isOrdinary ? templates.get(migrations) : undefined;
  if (template !== undefined) writeFileSync(file, template);
  const defaults = {
    service,
    migrations,
    folder: folder.path,
    log: silentLogger,
    clock: systemClock,
    random: Math.random,
    servers: new PostgresServers(systemClock, { hangMs: patienceMs }),
    statementMs: patienceMs,
  };
  const storage = await openStorage({ ...defaults, ...wanted });
  if (isOrdinary && template === undefined) {
    using made = new Database(file, { readonly: true });
    templates.set(migrations, made.serialize());
  }
  return {
    ...storage,
    async [Symbol.asyncDispose]() {
      await storage.close();
      defaults.servers.close();
      folder[Symbol.dispose]();
    },
  };
}

type DeclareTables = (columns: Columns) => object;

const madeMigrations = new WeakMap<DeclareTables, Map<string, Promise<ServiceMigrations>>>();

/**
 * The steps that make `tables` from nothing: for a service's own tables, those of the repository, which `scripts/check` holds equal to the
 * tables; for others, one step that drizzle-kit makes.
 */
export function firstMigrations(service: string, tables: DeclareTables): Promise<ServiceMigrations> {
  const ofTables = madeMigrations.get(tables) ?? new Map<string, Promise<ServiceMigrations>>();
  madeMigrations.set(tables, ofTables);
  const made = ofTables.get(service) ?? makeMigrations(service, tables);
  ofTables.set(service, made);
  return made;
}

const services = ["daemon", "platform", "gateway", "cloud", "translator"];

async function makeMigrations(service: string, tables: DeclareTables): Promise<ServiceMigrations> {
  if (services.includes(service)) {
    const folder = `../../src/services/${service}`;
    if ((await import(`${folder}/tables.ts`)).tables === tables)
      return (await import(`${folder}/migrations.gen.ts`)).migrations;
  }
  // Loading drizzle-kit takes longer than most test files.
  const { schemaChange } = await import("../../scripts/schema-change.ts");
  const step = async (dialect: Dialect) => ({
    tag: "0000_init",
    sql: (await schemaChange(dialect, service, tables, undefined)).sql,
  });
  return { sqlite: [await step("sqlite")], postgres: [await step("postgres")] };
}
