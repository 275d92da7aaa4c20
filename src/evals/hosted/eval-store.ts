import { and, asc, count, eq } from "drizzle-orm";
import { evalsMax, type HostedEval, type HostedEvalDetail } from "../../contracts/evals/hosted-evals.ts";
import { entityTag, type RequireMatch } from "../../http/entity-tag.ts";
import { AppError } from "../../kit/app-error.ts";
import type { Query, ReadQuery } from "../../storage/storage.ts";
import { contentDigest } from "../running/plan-attempts.ts";
import type { EvalOwner, HostedEvalDeps } from "./deps.ts";
import type { SentEval } from "./read-eval.ts";
import type { EvalRow, HostedEvalTables } from "./tables.ts";

type StoreDeps = Pick<HostedEvalDeps, "storage" | "clock">;

/** ETag of an eval. */
export const evalTag = ({ name, document }: Pick<EvalRow, "name" | "document">) =>
  entityTag([name, document]);

/** Creates an eval or replaces it. Throws `eval_limit_reached` (409) for one too many. */
export async function putEval(
  { storage, clock }: StoreDeps,
  { ownerId, author }: EvalOwner,
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
    ownerId,
    name,
    agentName: loaded.spec.agent,
    document,
    content: contentDigest(loaded),
    cases: loaded.cases.length,
    author,
    updatedAt: clock.now(),
  };
  await storage.transact(async (tx) => {
    const present = await findEval(tx, tables, ownerId, name);
    match(present && evalTag(present));
    if (present === undefined && (await countEvals(tx, tables, ownerId)) >= evalsMax) {
      throw new AppError(
        "conflict",
        "eval_limit_reached",
        `There may be at most ${evalsMax} evals. Delete one first.`,
      );
    }
    await tx
      .insert(evals)
      .values(row)
      .onConflictDoUpdate({ target: [evals.ownerId, evals.name], set: row });
  });
  return row;
}

/** An owner's evals, sorted by name, without their documents. */
export async function listEvals(
  { storage: { read, tables } }: StoreDeps,
  { ownerId }: Pick<EvalOwner, "ownerId">,
): Promise<HostedEval[]> {
  const { evals } = tables;
  const { name, agentName, cases, content, author, updatedAt } = evals;
  const rows = await read
    .select({ name, agentName, cases, content, author, updatedAt })
    .from(evals)
    .where(eq(evals.ownerId, ownerId))
    .orderBy(asc(name))
    .limit(evalsMax);
  return rows.map(presentEval);
}

/** Throws `eval_not_found`. */
export async function getEval(
  query: ReadQuery,
  tables: HostedEvalTables,
  ownerId: string,
  name: string,
): Promise<EvalRow> {
  const row = await findEval(query, tables, ownerId, name);
  if (row !== undefined) return row;
  throw new AppError("not_found", "eval_not_found", `There is no eval named ${name.slice(0, 100)}.`, {
    details: { hint: "PUT to its address stores one." },
  });
}

export async function findEval(
  query: ReadQuery,
  { evals }: HostedEvalTables,
  ownerId: string,
  name: string,
): Promise<EvalRow | undefined> {
  const [row] = await query
    .select()
    .from(evals)
    .where(and(eq(evals.ownerId, ownerId), eq(evals.name, name)));
  return row;
}

/** Deletes an eval. Its runs stay; versions that require it can't be published until it is there again. */
export async function deleteEval(
  { storage }: StoreDeps,
  { ownerId }: Pick<EvalOwner, "ownerId">,
  name: string,
  match: RequireMatch,
): Promise<void> {
  const { tables } = storage;
  const { evals } = tables;
  await storage.transact(async (tx) => {
    match(evalTag(await getEval(tx, tables, ownerId, name)));
    await tx.delete(evals).where(and(eq(evals.ownerId, ownerId), eq(evals.name, name)));
  });
}

async function countEvals(tx: Query, { evals }: HostedEvalTables, ownerId: string): Promise<number> {
  const [row] = await tx.select({ stored: count() }).from(evals).where(eq(evals.ownerId, ownerId));
  return row?.stored ?? 0;
}

export function presentEval({
  name,
  agentName,
  cases,
  content,
  author,
  updatedAt,
}: Omit<EvalRow, "ownerId" | "document">): HostedEval {
  return { name, agent: agentName, cases, content, author, updated_at: updatedAt.toISOString() };
}

export const presentEvalDetail = (row: EvalRow): HostedEvalDetail => ({
  ...presentEval(row),
  manifest: row.document,
});
