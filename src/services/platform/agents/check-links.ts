import { and, eq, isNull } from "drizzle-orm";
import type { Problem } from "../../../kit/app-error.ts";
import { agentToolsOf, type LinkedAgent, linksOf, targetsOf } from "../../../manifest/agent/check-chains.ts";
import { checkReferences } from "../../../manifest/check-references.ts";
import { dotted } from "../../../manifest/fault.ts";
import type { ReadQuery } from "../../../storage/storage.ts";
import type { PlatformTables } from "../tables.ts";
import { type SentSpec, storedManifest } from "./read-spec.ts";

/**
 * Returns the problems of a spec with the tenant's other agents: a link to a missing or refused agent, or a chain that is circular or too
 * deep, including chains of other agents that lead here. Deleting an agent later does not change the specs that name it; their runs are
 * refused until the name exists again.
 */
export async function linkProblems(
  query: ReadQuery,
  tables: PlatformTables,
  tenantId: string,
  { name, manifest }: Pick<SentSpec, "name" | "manifest">,
): Promise<Problem[]> {
  const live = await liveAgents(query, tables, tenantId);
  const others = live.filter(({ metadata }) => metadata.name !== name);
  const present = new Set([name, ...others.map(({ metadata }) => metadata.name)]);
  const missing = [...targetsOf(manifest), ...agentToolsOf(manifest)]
    .filter((reference) => !present.has(reference.name))
    .map((reference) => ({
      path: dotted(reference.path),
      message: `names no agent of this tenant: ${reference.name}; store that agent first`,
    }));
  if (missing.length > 0) return missing;
  const problems = checkReferences([manifest, ...others]);
  const own = problems.filter(({ agent }) => agent === name).map(({ problem }) => problem);
  if (own.length > 0) return own;
  const before = new Set(checkReferences(live).map((one) => JSON.stringify(one)));
  return problems
    .filter((one) => !before.has(JSON.stringify(one)))
    .map(({ agent, problem }) => ({
      path: "spec.chain.on_complete",
      message: `breaks the agent ${agent}, which leads here: its ${problem.path} ${problem.message}`,
    }));
}

/** Links of the tenant's live agents. */
async function liveAgents(
  query: ReadQuery,
  tables: PlatformTables,
  tenantId: string,
): Promise<LinkedAgent[]> {
  const { agents } = tables;
  const rows = await query
    .select({ id: agents.id, name: agents.name, version: agents.currentVersion, links: agents.links })
    .from(agents)
    .where(and(eq(agents.tenantId, tenantId), isNull(agents.deletedAt)));
  const linked: LinkedAgent[] = [];
  for (const { id, name, version, links } of rows) {
    const spec = links ?? (await linksOfVersion(query, tables, { tenantId, id, version }));
    linked.push({ metadata: { name }, spec });
  }
  return linked;
}

async function linksOfVersion(
  query: ReadQuery,
  { agentVersions }: PlatformTables,
  { tenantId, id, version }: { tenantId: string; id: string; version: number },
): Promise<LinkedAgent["spec"]> {
  const [row] = await query
    .select({ spec: agentVersions.spec })
    .from(agentVersions)
    .where(
      and(
        eq(agentVersions.tenantId, tenantId),
        eq(agentVersions.agentId, id),
        eq(agentVersions.number, version),
      ),
    );
  const manifest = row && storedManifest(row.spec);
  return manifest === undefined ? { tools: [] } : linksOf(manifest);
}
