import { and, asc, eq, gt, inArray, max } from "drizzle-orm";
import type { Storage } from "../../../storage/storage.ts";
import { operatorTenant } from "../operator-tenant.ts";
import type { SharedFileRow, SharedFileTables } from "./schema.ts";

export type SharedFileStorage = Storage<SharedFileTables>;

/** An entry without its text. */
export type SharedEntry = Pick<SharedFileRow, "path" | "digest" | "isDeleted" | "revision">;

/** A change of an entry that is at the revision `since`; undefined: of one that doesn't exist. */
export interface EntryChange {
  path: string;
  since: number | undefined;
  content: string;
  digest: string;
  isDeleted: boolean;
}

/** Entries that one query returns. */
export const newestMax = 5000;

/** Entries that changed after a revision, oldest first. */
export function entriesSince(
  { read, tables: { sharedFiles } }: SharedFileStorage,
  revision: number,
): Promise<SharedEntry[]> {
  const { path, digest, isDeleted } = sharedFiles;
  return read
    .select({ path, digest, isDeleted, revision: sharedFiles.revision })
    .from(sharedFiles)
    .where(and(eq(sharedFiles.tenant, operatorTenant), gt(sharedFiles.revision, revision)))
    .orderBy(asc(sharedFiles.revision))
    .limit(newestMax);
}

/** Sealed texts by path. */
export async function contentsOf(
  { read, tables: { sharedFiles } }: SharedFileStorage,
  paths: readonly string[],
): Promise<Map<string, { content: string; digest: string }>> {
  const { path, content, digest } = sharedFiles;
  const rows = await read
    .select({ path, content, digest })
    .from(sharedFiles)
    .where(and(eq(sharedFiles.tenant, operatorTenant), inArray(path, [...paths])));
  return new Map(rows.map((row) => [row.path, row]));
}

/** Stores those changes whose entries are still as the change knows them. All get the next revision, so readers miss none. */
export async function changeEntries(
  { transact, tables: { sharedFiles }, instant }: SharedFileStorage,
  node: string,
  changes: readonly EntryChange[],
): Promise<void> {
  const at = instant();
  await transact(async (tx) => {
    const [newest] = await tx
      .select({ revision: max(sharedFiles.revision) })
      .from(sharedFiles)
      .where(eq(sharedFiles.tenant, operatorTenant));
    const present = await tx
      .select({ path: sharedFiles.path, revision: sharedFiles.revision })
      .from(sharedFiles)
      .where(
        and(
          eq(sharedFiles.tenant, operatorTenant),
          inArray(
            sharedFiles.path,
            changes.map(({ path }) => path),
          ),
        ),
      );
    const known = new Map(present.map((row) => [row.path, row.revision]));
    const revision = (newest?.revision ?? 0) + 1;
    for (const { path, since, content, digest, isDeleted } of changes) {
      if (known.get(path) !== since) continue;
      const row = { content, digest, isDeleted, revision, node, at };
      await tx
        .insert(sharedFiles)
        .values({ tenant: operatorTenant, path, ...row })
        .onConflictDoUpdate({ target: [sharedFiles.tenant, sharedFiles.path], set: row });
    }
  });
}
