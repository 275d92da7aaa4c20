import { and, eq } from "drizzle-orm";
import { fieldsOf } from "../../kit/json/is-record.ts";
import type { Query } from "../../storage/storage.ts";
import type { HostedEvalTables } from "./tables.ts";

/** A new name of an owner's agent, and the digests of its present version before and after. */
export interface RenamedAgent {
  ownerId: string;
  from: string;
  to: string;
  checksum?: { from: string; to: string };
}

/** Gives an agent's evals and runs its new name. Runs of its present version still count for it, though its manifest has the new name. */
export async function renameEvalAgent(
  tx: Query,
  { evals, evalRuns }: HostedEvalTables,
  { ownerId, from, to, checksum }: RenamedAgent,
): Promise<void> {
  const named = and(eq(evals.ownerId, ownerId), eq(evals.agentName, from));
  for (const { name } of await tx.select({ name: evals.name }).from(evals).where(named)) {
    const one = and(eq(evals.ownerId, ownerId), eq(evals.name, name));
    // One document at a time: each may have 1 MiB.
    const [row] = await tx.select({ document: evals.document }).from(evals).where(one);
    const document = { ...row?.document, spec: { ...fieldsOf(row?.document.spec), agent: to } };
    await tx.update(evals).set({ agentName: to, document }).where(one);
  }
  const ofAgent = and(eq(evalRuns.ownerId, ownerId), eq(evalRuns.agentName, from));
  if (checksum !== undefined)
    await tx
      .update(evalRuns)
      .set({ checksum: checksum.to })
      .where(and(ofAgent, eq(evalRuns.checksum, checksum.from)));
  await tx.update(evalRuns).set({ agentName: to }).where(ofAgent);
}
