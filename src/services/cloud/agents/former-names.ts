import { and, desc, eq } from "drizzle-orm";
import { AppError } from "../../../kit/app-error.ts";
import type { Query, ReadQuery } from "../../../storage/storage.ts";
import type { CloudTables } from "../tables.ts";

/** Error for a name that no agent of the org has. A former name tells the present one. */
export async function missingAgent(
  query: ReadQuery,
  { agents, formerNames }: CloudTables,
  orgId: string,
  name: string,
): Promise<AppError> {
  const [renamed] = await query
    .select({ name: agents.name })
    .from(formerNames)
    .innerJoin(agents, and(eq(agents.orgId, formerNames.orgId), eq(agents.id, formerNames.agentId)))
    .where(and(eq(formerNames.orgId, orgId), eq(formerNames.name, name)));
  const hint = renamed === undefined ? "" : ` It was renamed to ${renamed.name}.`;
  return new AppError("not_found", "not_found", `There is no agent named ${name}.${hint}`);
}

/** Former names of an agent, the last one first. */
export const formerNamesOf = (
  query: ReadQuery,
  { formerNames }: CloudTables,
  { orgId, id }: { orgId: string; id: string },
) =>
  query
    .select({ name: formerNames.name, renamedAt: formerNames.renamedAt })
    .from(formerNames)
    .where(and(eq(formerNames.orgId, orgId), eq(formerNames.agentId, id)))
    .orderBy(desc(formerNames.renamedAt), desc(formerNames.name));

/** Forgets a former name, because an agent has it again. */
export async function freeName(
  tx: Query,
  { formerNames }: CloudTables,
  orgId: string,
  name: string,
): Promise<void> {
  await tx.delete(formerNames).where(and(eq(formerNames.orgId, orgId), eq(formerNames.name, name)));
}
