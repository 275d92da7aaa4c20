import { and, asc, eq, gt, or } from "drizzle-orm";
import {
  type SpecKind,
  type SpecList,
  type SpecReference,
  type SubmittedSpec,
  specKinds,
} from "../../../contracts/translator/translation.ts";
import { entityTag, type RequireMatch } from "../../../http/entity-tag.ts";
import { decodeCursor, encodeCursor, refuseCursor } from "../../../http/page-cursor.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { Query, Storage } from "../../../storage/storage.ts";
import type { SpecTables } from "./schema.ts";

export type SpecStorage = Storage<SpecTables>;

/** ETag of a stored manifest. */
export const specTag = ({ kind, name, yaml }: SubmittedSpec): string => entityTag([kind, name, yaml]);

/** Stores a manifest; one of the same kind and name is replaced. Throws 412 `version_changed` if `match` refuses the stored one. */
export async function putSpec(
  storage: SpecStorage,
  spec: SubmittedSpec,
  submittedAt: Date,
  match: RequireMatch = () => {},
): Promise<void> {
  const { specs } = storage.tables;
  const { kind, name, yaml } = spec;
  await storage.transact(async (tx) => {
    // The update keeps the row as it is until the transaction commits.
    const [stored] = await tx
      .update(specs)
      .set({ name })
      .where(and(eq(specs.kind, kind), eq(specs.name, name)))
      .returning({ yaml: specs.yaml });
    match(stored && specTag({ kind, name, yaml: stored.yaml }));
    await tx
      .insert(specs)
      .values({ ...spec, submittedAt })
      .onConflictDoUpdate({ target: [specs.kind, specs.name], set: { yaml, submittedAt } });
  });
}

/** Lists the manifests by kind and name. Throws `invalid_request` for a cursor that no page returned. */
export async function listSpecs(
  { read, tables: { specs } }: SpecStorage,
  { limit, cursor }: { limit: number; cursor?: string },
): Promise<SpecList> {
  const last = cursor === undefined ? undefined : readPlace(cursor);
  const rows = await read
    .select({ kind: specs.kind, name: specs.name })
    .from(specs)
    .where(last && or(gt(specs.kind, last.kind), and(eq(specs.kind, last.kind), gt(specs.name, last.name))))
    .orderBy(asc(specs.kind), asc(specs.name))
    .limit(limit + 1);
  const page = rows.slice(0, limit).map(({ kind, name }) => ({ kind: kind as SpecKind, name }));
  const end = rows.length > limit ? page.at(-1) : undefined;
  return { specs: page, ...(end && { next_cursor: encodeCursor([end.kind, end.name]) }) };
}

/** The last manifest of the previous page. A name with other characters was never stored, and a database may refuse it. */
function readPlace(cursor: string): SpecReference {
  const [kind, name, ...rest] = decodeCursor(cursor);
  const known = specKinds.find((one) => one === kind);
  const isName = typeof name === "string" && name.isWellFormed() && !name.includes("\0");
  if (known === undefined || !isName || rest.length > 0) throw refuseCursor();
  return { kind: known, name };
}

/** Throws `spec_not_found` (404). */
export async function getSpec(
  { read, tables: { specs } }: SpecStorage,
  kind: string,
  name: string,
): Promise<SubmittedSpec> {
  const [row] = await read
    .select()
    .from(specs)
    .where(and(eq(specs.kind, kind), eq(specs.name, name)));
  if (row !== undefined) return { kind: row.kind as SpecKind, name: row.name, yaml: row.yaml };
  throw specNotFound(kind, name);
}

const specNotFound = (kind: string, name: string) =>
  new AppError("not_found", "spec_not_found", `No manifest ${kind}/${name} was submitted.`, {
    details: { hint: "POST /v1/specs submits one." },
  });

/** Throws `spec_not_found` (404) if the spec isn't stored, and keeps it stored until `tx` commits. */
export async function requireSpec(
  tx: Query,
  { specs }: SpecTables,
  { kind, name }: SpecReference,
): Promise<void> {
  const renamed = await tx
    .update(specs)
    .set({ name })
    .where(and(eq(specs.kind, kind), eq(specs.name, name)))
    .returning({ name: specs.name });
  if (renamed.length === 0) throw specNotFound(kind, name);
}

export async function deleteSpec(
  tx: Query,
  { specs }: SpecTables,
  { kind, name }: SpecReference,
): Promise<void> {
  await tx.delete(specs).where(and(eq(specs.kind, kind), eq(specs.name, name)));
}
