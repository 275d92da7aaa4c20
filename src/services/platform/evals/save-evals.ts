import { and, asc, count, eq } from "drizzle-orm";
import { evalsMax, type PlatformEval, type PlatformEvalDetail } from "../../../contracts/platform/evals.ts";
import { contentDigest } from "../../../evals/running/plan-attempts.ts";
import { entityTag, type RequireMatch } from "../../../http/entity-tag.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { Query, ReadQuery } from "../../../storage/storage.ts";
import type { TenantActor } from "../auth/credentials.ts";
import type { PlatformTables, StoreDeps } from "../tables.ts";
import type { SentEval } from "./read-eval.ts";
import type { EvalRow } from "./schema.ts";

/** ETag of an eval. */
export const evalTag = ({ name, document }: Pick<EvalRow, "name" | "document">) =>
  entityTag([name, document]);

/** Creates an eval or replaces it. Throws `eval_limit_reached` (409) for one too many. */
export async function putEval(
  { storage, clock }: StoreDeps,
  { tenantId, author }: TenantActor,
  name: string,
  { document, loaded }: SentEval,
  match: RequireMatch,
): Promise<EvalRow> {
  if (loaded.name !== name) {
    throw new AppError("invalid", "invalid_manifest", `metadata.name must be ${name}, as in the path.`, {
      details: { problems: [{ path: "metadata.name", message: `must be ${name}, as in the path` }] },
    });
  }
  const { tables } = storage;
  const { evals } = tables;
  const row: EvalRow = {
    tenantId,
    name,
    agentName: loaded.spec.agent,
    document,
    content: contentDigest(loaded),
    cases: loaded.cases.length,
    author,
    updatedAt: clock.now(),
  };
  await storage.transact(async (tx) => {
    const present = await findEval(tx, tables, tenantId, name);
    match(present && evalTag(present));
    if (present === undefined && (await countEvals(tx, tables, tenantId)) >= evalsMax) {
      throw new AppError("conflict", "eval_limit_reached", `A tenant may have at most ${evalsMax} evals.`);
    }
    await tx
      .insert(evals)
      .values(row)
      .onConflictDoUpdate({ target: [evals.tenantId, evals.name], set: row });
  });
  return row;
}

/** A tenant's evals, sorted by name, without their documents. */
export async function listEvals(
  { storage: { read, tables } }: StoreDeps,
  { tenantId }: TenantActor,
): Promise<PlatformEval[]> {
  const { evals } = tables;
  const { name, agentName, cases, content, author, updatedAt } = evals;
  const rows = await read
    .select({ name, agentName, cases, content, author, updatedAt })
    .from(evals)
    .where(eq(evals.tenantId, tenantId))
    .orderBy(asc(name))
    .limit(evalsMax);
  return rows.map(presentEval);
}

/** Throws `eval_not_found`. */
export async function getEval(
  query: ReadQuery,
  tables: PlatformTables,
  tenantId: string,
  name: string,
): Promise<EvalRow> {
  const row = await findEval(query, tables, tenantId, name);
  if (row !== undefined) return row;
  throw new AppError("not_found", "eval_not_found", `There is no eval named ${name.slice(0, 100)}.`, {
    details: { hint: "PUT /api/v1/evals/{name} stores one." },
  });
}

export async function findEval(
  query: ReadQuery,
  { evals }: PlatformTables,
  tenantId: string,
  name: string,
): Promise<EvalRow | undefined> {
  const [row] = await query
    .select()
    .from(evals)
    .where(and(eq(evals.tenantId, tenantId), eq(evals.name, name)));
  return row;
}

/** Deletes an eval. Its runs stay; versions that require it can't be published until it is there again. */
export async function deleteEval(
  { storage }: StoreDeps,
  { tenantId }: TenantActor,
  name: string,
  match: RequireMatch,
): Promise<void> {
  const { tables } = storage;
  const { evals } = tables;
  await storage.transact(async (tx) => {
    match(evalTag(await getEval(tx, tables, tenantId, name)));
    await tx.delete(evals).where(and(eq(evals.tenantId, tenantId), eq(evals.name, name)));
  });
}

async function countEvals(tx: Query, { evals }: PlatformTables, tenantId: string): Promise<number> {
  const [row] = await tx.select({ stored: count() }).from(evals).where(eq(evals.tenantId, tenantId));
  return row?.stored ?? 0;
}

export function presentEval({
  name,
  agentName,
  cases,
  content,
  author,
  updatedAt,
}: Omit<EvalRow, "tenantId" | "document">): PlatformEval {
  return { name, agent: agentName, cases, content, author, updated_at: updatedAt.toISOString() };
}

export const presentEvalDetail = (row: EvalRow): PlatformEvalDetail => ({
  ...presentEval(row),
  manifest: row.document,
});
