import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { Columns, Dialect } from "../src/storage/tables/columns.ts";
import { type SchemaChange, type Snapshot, schemaChange } from "./schema-change.ts";

const usage = `Writes the migrations of every service, for both engines, from its tables.ts.

  bun scripts/generate-migrations.ts --name add_colour   adds one step to each service whose tables changed
  bun scripts/generate-migrations.ts --check             fails when a step, or the module that embeds them, is missing`;

const root = join(import.meta.dirname, "..");
const dialects: readonly Dialect[] = ["sqlite", "postgres"];

const folderOf = (service: string, dialect: Dialect) => join(root, "migrations", service, dialect);

/** Returns the existing migrations in order. Throws if the two engines differ. */
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

/** Returns the change from the state after the last migration, stored in snapshot.json, to the current tables. */
async function changeOf(
  service: string,
  dialect: Dialect,
  tables: (columns: Columns) => object,
): Promise<SchemaChange & { dialect: Dialect }> {
  const snapshot = Bun.file(join(folderOf(service, dialect), "snapshot.json"));
  const before: Snapshot | undefined = (await snapshot.exists()) ? await snapshot.json() : undefined;
  return { dialect, ...(await schemaChange(dialect, service, tables, before)) };
}

function addStep(folder: string, tag: string, { snapshot, sql }: SchemaChange): void {
  writeFileSync(join(folder, `${tag}.sql`), sql || "-- Nothing to do on this engine.\n");
  writeFileSync(join(folder, "snapshot.json"), `${JSON.stringify(snapshot, null, 2)}\n`);
}

/** Returns a module that imports the migrations as text, so that the executable includes them. */
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

/** Brings one service up to date; with `check`, only reports what is missing. */
async function generate(service: string, name: string | undefined, check: boolean): Promise<string[]> {
  const { tables } = await import(join(root, "src/services", service, "tables.ts"));
  const steps = stepsOf(service);
  const changes = await Promise.all(dialects.map((dialect) => changeOf(service, dialect, tables)));
  if (changes.some((change) => change.sql !== "")) {
    const step = name ?? (steps.length === 0 ? "init" : undefined);
    if (check || step === undefined) return [`${service}: the tables changed; run it with --name <step>.`];
    const tag = `${String(steps.length).padStart(4, "0")}_${step}`;
    for (const change of changes) addStep(folderOf(service, change.dialect), tag, change);
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
