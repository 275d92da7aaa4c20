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

/**
 * Called in the transaction that changes an eval, with its document before and after: undefined if there is none. Throws to refuse the change,
 * and audits it where gates depend on it.
 */
export type WatchEval = (
  tx: Query,
  change: { name: string; before: EvalRow | undefined; after: EvalRow | undefined },
) => Promise<void>;

/** ETag of an eval. */
export const evalTag = ({ name, document }: Pick<EvalRow, "name" | "document">) =>
  entityTag([name, document]);

/** Creates an eval or replaces it. Throws `eval_limit_reached` (409) for one too many. */
export async function putEval(
  { storage, clock }: StoreDeps,
  { ownerId, author }: EvalOwner,
  name: string,
  { document, loaded }: SentEval,
  { match, watch }: { match: RequireMatch; watch: WatchEval },
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
    await watch(tx, { name, before: present, after: row });
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

/** An owner's evals, sorted by name, without their documents. `gates` are the agents that require each. */
export async function listEvals(
  { storage: { read, tables } }: StoreDeps,
  { ownerId }: Pick<EvalOwner, "ownerId">,
  gates: GatesOf,
): Promise<HostedEval[]> {
  const { evals } = tables;
  const { name, agentName, cases, content, author, updatedAt } = evals;
  const rows = await read
    .select({ name, agentName, cases, content, author, updatedAt })
    .from(evals)
    .where(eq(evals.ownerId, ownerId))
    .orderBy(asc(name))
    .limit(evalsMax);
  return rows.map((row) => presentEval(row, gates));
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
    details: { hint: "`evals apply <file>` stores one." },
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
  { match, watch }: { match: RequireMatch; watch: WatchEval },
): Promise<void> {
  const { tables } = storage;
  const { evals } = tables;
  await storage.transact(async (tx) => {
    const before = await getEval(tx, tables, ownerId, name);
    match(evalTag(before));
    await watch(tx, { name, before, after: undefined });
    await tx.delete(evals).where(and(eq(evals.ownerId, ownerId), eq(evals.name, name)));
  });
}

async function countEvals(tx: Query, { evals }: HostedEvalTables, ownerId: string): Promise<number> {
  const [row] = await tx.select({ stored: count() }).from(evals).where(eq(evals.ownerId, ownerId));
  return row?.stored ?? 0;
}

/** Names of the agents whose gates require an eval, by its name. */
export type GatesOf = ReadonlyMap<string, readonly string[]>;

/** Turns the requirements of agents into the agents of each eval. */
export function gatesByEval(
  agents: readonly { name: string; requires: readonly { eval: string }[] | null }[],
): GatesOf {
  const pairs = agents.flatMap(({ name, requires }) =>
    (requires ?? []).map((required) => [required.eval, name] as const),
  );
  const byEval = Map.groupBy(pairs, ([required]) => required);
  return new Map([...byEval].map(([required, of]) => [required, of.map(([, agent]) => agent).sort()]));
}

export function presentEval(
  { name, agentName, cases, content, author, updatedAt }: Omit<EvalRow, "ownerId" | "document">,
  gates: GatesOf,
): HostedEval {
  return {
    name,
    agent: agentName,
    cases,
    content,
    author,
    updated_at: updatedAt.toISOString(),
    required_by: [...(gates.get(name) ?? [])],
  };
}

export const presentEvalDetail = (row: EvalRow, gates: GatesOf): HostedEvalDetail => ({
  ...presentEval(row, gates),
  manifest: row.document,
});
