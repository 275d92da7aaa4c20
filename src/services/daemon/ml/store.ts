import { and, count, desc, eq, inArray } from "drizzle-orm";
import type { Storage } from "../../../storage/storage.ts";
import type { MlModelRow, MlTables } from "./schema.ts";

type Models = Storage<MlTables>;
type Table = MlTables["mlModels"];

/** Result of a registration. */
export type Inserted = "inserted" | "exists" | "full";

/** Adds a model. Returns `exists` if that version of the name exists, `full` if the tenant already has `modelsMax`. */
export async function insertModel(
  { tables: { mlModels }, transact }: Models,
  row: MlModelRow,
  modelsMax: number,
): Promise<Inserted> {
  return transact(async (tx) => {
    const [counted] = await tx
      .select({ models: count() })
      .from(mlModels)
      .where(eq(mlModels.tenant, row.tenant));
    if ((counted?.models ?? 0) >= modelsMax) return "full";
    const inserted = await tx
      .insert(mlModels)
      .values(row)
      .onConflictDoNothing()
      .returning({ name: mlModels.name });
    return inserted.length > 0 ? "inserted" : "exists";
  });
}

/** Models, newest first; those of the same time by name and version. */
export function listModels(
  { tables: { mlModels }, read }: Models,
  tenant: string,
  { name, limit }: { name?: string; limit: number },
): Promise<MlModelRow[]> {
  return read
    .select()
    .from(mlModels)
    .where(and(eq(mlModels.tenant, tenant), name === undefined ? undefined : eq(mlModels.name, name)))
    .orderBy(desc(mlModels.createdAt), mlModels.name, desc(mlModels.version))
    .limit(limit);
}

/** All versions of a name, unordered. */
export function versionsOf(
  { tables: { mlModels }, read }: Models,
  tenant: string,
  name: string,
): Promise<MlModelRow[]> {
  return read
    .select()
    .from(mlModels)
    .where(ofName(mlModels, tenant, name));
}

/** Returns those of the files that registered models use. */
export async function filesInUse(
  { tables: { mlModels }, read }: Models,
  tenant: string,
  paths: readonly string[],
): Promise<Set<string>> {
  const rows = await read
    .selectDistinct({ path: mlModels.path })
    .from(mlModels)
    .where(and(eq(mlModels.tenant, tenant), inArray(mlModels.path, [...paths])));
  return new Set(rows.map(({ path }) => path));
}

/** Deletes one version, or all versions of a name, and returns the deleted rows. */
export function deleteModels(
  { tables: { mlModels }, transact }: Models,
  tenant: string,
  name: string,
  version: string | undefined,
): Promise<MlModelRow[]> {
  const wanted = version === undefined ? undefined : eq(mlModels.version, version);
  return transact((tx) =>
    tx
      .delete(mlModels)
      .where(and(ofName(mlModels, tenant, name), wanted))
      .returning(),
  );
}

const ofName = (table: Table, tenant: string, name: string) =>
  and(eq(table.tenant, tenant), eq(table.name, name));
