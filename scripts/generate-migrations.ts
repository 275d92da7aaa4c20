import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import {
  generateDrizzleJson,
  generateMigration,
  generateSQLiteDrizzleJson,
  generateSQLiteMigration,
} from "drizzle-kit/api";
import { type Columns, columnsFor, type Dialect } from "../src/storage/columns.ts";
import { ownTables } from "../src/storage/own-tables.ts";

const usage = `Writes the migrations of every service, for both engines, from its tables.ts.

  bun scripts/generate-migrations.ts --name add_colour   adds one step to each service whose tables changed
  bun scripts/generate-migrations.ts --check             fails when a step, or the module that embeds them, is missing`;

const root = join(import.meta.dirname, "..");
const dialects: readonly Dialect[] = ["sqlite", "postgres"];

interface Engine {
  snapshot: (tables: Record<string, unknown>) => Promise<object>;
  statements: (from: object, to: object) => Promise<string[]>;
}

const engines: Record<Dialect, Engine> = {
  sqlite: {
    snapshot: (tables) => generateSQLiteDrizzleJson(tables),
    statements: (from, to) => generateSQLiteMigration(from as never, to as never),
  },
  postgres: {
    snapshot: async (tables) => generateDrizzleJson(tables),
    statements: (from, to) => generateMigration(from as never, to as never),
  },
};

const folderOf = (service: string, dialect: Dialect) => join(root, "migrations", service, dialect);

/** The steps that are there, in order; the same on both engines or nothing is. */
function stepsOf(service: string): string[] {
  const [sqlite = [], postgres = []] = dialects.map((dialect) => {
    mkdirSync(folderOf(service, dialect), { recursive: true });
    const files = readdirSync(folderOf(service, dialect)).filter((file) => file.endsWith(".sql"));
    return files.map((file) => basename(file, ".sql")).sort();
  });
  if (sqlite.join() === postgres.join()) return sqlite;
  throw new Error(
    `migrations/${service}: sqlite has the steps ${sqlite}, postgres ${postgres}; they must be the same.`,
  );
}

interface Change {
  dialect: Dialect;
  snapshot: object;
  statements: string[];
}

/** From what the last step left, kept beside it as snapshot.json, to what the tables say now. */
async function changeOf(
  service: string,
  dialect: Dialect,
  tables: (columns: Columns) => object,
): Promise<Change> {
  const columns = columnsFor(dialect, service);
  const engine = engines[dialect];
  const path = join(folderOf(service, dialect), "snapshot.json");
  const isFirst = !readdirSync(folderOf(service, dialect)).includes("snapshot.json");
  const before: object = isFirst ? await engine.snapshot({}) : JSON.parse(readFileSync(path, "utf8"));
  const snapshot = await engine.snapshot({ ...ownTables(columns), ...tables(columns) });
  return { dialect, snapshot, statements: await engine.statements(before, snapshot) };
}

function addStep(service: string, tag: string, { dialect, snapshot, statements }: Change): void {
  const text = statements.map((statement) => `${statement.trim()}\n`).join("--> statement-breakpoint\n");
  const folder = folderOf(service, dialect);
  writeFileSync(join(folder, `${tag}.sql`), text || "-- Nothing to do on this engine.\n");
  // drizzle-kit gives each snapshot random ids; without them the file changes only when a table does.
  const noId = "00000000-0000-0000-0000-000000000000";
  writeFileSync(
    join(folder, "snapshot.json"),
    `${JSON.stringify({ ...snapshot, id: noId, prevId: noId }, null, 2)}\n`,
  );
}

/** A module that imports the steps as text, so that the executable carries them. */
function moduleText(service: string, steps: readonly string[]): string {
  const variable = (dialect: Dialect, step: string) => `${dialect}_${step}`;
  const imports = dialects.flatMap((dialect) =>
    steps.map(
      (step) =>
        `import ${variable(dialect, step)} from "../../../migrations/${service}/${dialect}/${step}.sql" with { type: "text" };`,
    ),
  );
  const lists = dialects.map((dialect) => {
    const entries = steps.map((step) => `    { tag: "${step}", sql: ${variable(dialect, step)} },`);
    return [`  ${dialect}: [`, ...entries, "  ],"].join("\n");
  });
  return [
    "// Made by scripts/generate-migrations.ts: don't edit.",
    'import type { ServiceMigrations } from "../../storage/migration.ts";',
    ...imports,
    "",
    "export const migrations: ServiceMigrations = {",
    ...lists,
    "};",
    "",
  ].join("\n");
}

/** Brings one service up to date; with `check` it only says what is missing. */
async function generate(service: string, name: string | undefined, check: boolean): Promise<string[]> {
  const { tables } = await import(join(root, "src/services", service, "tables.ts"));
  const steps = stepsOf(service);
  const changes = await Promise.all(dialects.map((dialect) => changeOf(service, dialect, tables)));
  if (changes.some((change) => change.statements.length > 0)) {
    const step = name ?? (steps.length === 0 ? "init" : undefined);
    if (check || step === undefined) return [`${service}: the tables changed; run it with --name <step>.`];
    const tag = `${String(steps.length).padStart(4, "0")}_${step}`;
    for (const change of changes) addStep(service, tag, change);
    steps.push(tag);
  }
  const path = join(root, "src/services", service, "migrations.gen.ts");
  const text = moduleText(service, steps);
  const written = await Bun.file(path)
    .text()
    .catch(() => "");
  if (written === text) return [];
  if (check) return [`${service}: migrations.gen.ts doesn't list the steps that are there.`];
  writeFileSync(path, text);
  return [];
}

async function main(args: readonly string[]): Promise<number> {
  const check = args.includes("--check");
  const name = args.includes("--name") ? args[args.indexOf("--name") + 1] : undefined;
  if (name !== undefined && !/^[a-z][a-z0-9_]*$/.test(name)) {
    console.error(usage);
    return 2;
  }
  const services = [...new Bun.Glob("*/tables.ts").scanSync(join(root, "src/services"))].map(
    (path) => path.split("/")[0] ?? "",
  );
  if (services.length === 0) throw new Error("No service with a tables.ts was found.");
  const missing = await Promise.all(services.sort().map((service) => generate(service, name, check)));
  for (const line of missing.flat()) console.error(line);
  return missing.flat().length === 0 ? 0 : 1;
}

process.exit(await main(process.argv.slice(2)));
