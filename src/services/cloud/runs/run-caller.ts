import { and, eq, isNull } from "drizzle-orm";
import { Elysia } from "elysia";
import type { Call } from "../../../http/call.ts";
import { documented } from "../../../http/openapi/documented-hook.ts";
import { callContext } from "../../../http/route-plugins.ts";
import { credentialDigest } from "../../../kit/credential-digest.ts";
import { equalsBound, statement } from "../../../storage/statement.ts";
import type { ReadQuery } from "../../../storage/storage.ts";
import {
  keyActor,
  type OrgActor,
  orgSecurity,
  type Proof,
  proofOf,
  requireActor,
} from "../access/credentials.ts";
import type { AccessDeps } from "../access/deps.ts";
import { keyOwnerColumns } from "../access/find-actor.ts";
import { findRunnable, type RunnableRow, runnableColumns } from "../agents/store.ts";
import type { CloudTables } from "../tables.ts";

/** Caller of a run, and the agent that is to run; undefined if the org has none of this name. */
export interface RunCaller {
  actor: OrgActor;
  runnable: RunnableRow | undefined;
}

/** Path parameters of an agent's routes. */
interface AgentPath {
  slug: string;
  name: string;
}

/** Guard for the routes that run an agent; puts `actor` and `runnable` into the context. */
export const runCredential = (deps: AccessDeps) =>
  new Elysia({ name: "cloud-run-credential" }).use(callContext()).derive(
    { as: "scoped" },
    documented(
      async ({ request, call, params }: { request: Request; call: Call; params: object }) => {
        const caller = await requireRunCaller(deps, proofOf(request.headers, call.peer), params as AgentPath);
        return { ...caller, actor: { ...caller.actor, requestId: call.requestId } };
      },
      { security: orgSecurity },
    ),
  );

/** Like `requireActor`, and reads the agent as well. Runs come with keys, so a key, its org and the agent are read by one statement. */
export async function requireRunCaller(
  deps: AccessDeps,
  proof: Proof,
  { slug, name }: AgentPath,
): Promise<RunCaller> {
  const { read, tables } = deps.storage;
  if (proof.by !== "key") {
    const actor = await requireActor(deps, proof, slug);
    return { actor, runnable: await findRunnable(read, tables, actor.org.id, name) };
  }
  const [row] = await keyedAgent(read, tables).execute({ hash: credentialDigest(proof.key), name });
  const actor = keyActor(deps, proof, row, slug);
  if (row === undefined || row.agentId === null) return { actor, runnable: undefined };
  const { agentId, orgId, agentName, status, config, checksum, sealedKeys } = row as Found;
  return { actor, runnable: { id: agentId, orgId, name: agentName, status, config, checksum, sealedKeys } };
}

/** A row with an agent. */
type Found = Omit<RunnableRow, "id" | "name"> & { agentId: string; agentName: string };

const keyedAgent = statement((query: ReadQuery, { apiKeys, orgs, agents, providerKeys }: CloudTables) => {
  const { id, name, ...runnable } = runnableColumns(agents, providerKeys);
  return query
    .select({ ...keyOwnerColumns(apiKeys, orgs), ...runnable, agentId: id, agentName: name })
    .from(apiKeys)
    .innerJoin(orgs, eq(orgs.id, apiKeys.orgId))
    .leftJoin(agents, and(eq(agents.orgId, orgs.id), equalsBound(agents.name, "name")))
    .where(and(equalsBound(apiKeys.hash, "hash"), isNull(apiKeys.revokedAt)))
    .prepare("cloud_keyed_agent");
});
