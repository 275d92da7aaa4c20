import type { CloudEvalOrder } from "../../../contracts/cloud/evals.ts";
import { type AskedManifest, orderEvalRun } from "../../../evals/hosted/order-run.ts";
import type { EvalRunRow } from "../../../evals/hosted/tables.ts";
import { checksumOf } from "../../../kit/json/canonical-json.ts";
import type { OrgActor } from "../access/credentials.ts";
import { requireDeployable } from "../agents/deploy-agent.ts";
import { draftedAgent } from "../agents/draft-agent.ts";
import { getAgent } from "../agents/store.ts";
import { compileManifest, providersOf } from "../agents/wizard/compile-manifest.ts";
import { changedConfig } from "../agents/write-agent.ts";
import { type CloudEvalDeps, ownerOf } from "./deps.ts";
import type { OrgEvalSubject } from "./schema.ts";

/**
 * Orders a run of an eval, which the worker then performs. Throws `eval_not_found`, `invalid_config` and `provider_key_missing` for an agent
 * that could not be deployed, and `eval_runs_busy` (409) if too many runs of the org are open.
 */
export const startEvalRun = (
  deps: CloudEvalDeps,
  actor: OrgActor,
  name: string,
  { change, draft, budget_tokens: tokens, ...order }: CloudEvalOrder,
): Promise<EvalRunRow> =>
  orderEvalRun(deps, ownerOf(actor), name, { ...order, budget: tokens ?? null }, (agentName) =>
    askedAgent(deps, actor, agentName, { change, draft }),
  );

async function askedAgent(
  deps: CloudEvalDeps,
  { org }: OrgActor,
  agentName: string,
  { change, draft }: { change: CloudEvalOrder["change"]; draft: boolean | undefined },
): Promise<AskedManifest<OrgEvalSubject>> {
  const { storage } = deps;
  const row = await getAgent(storage.read, storage.tables, org.id, agentName);
  const stored = draft === true ? draftedAgent(row) : row;
  const agent = change === undefined ? stored : { ...stored, ...(await changedConfig(deps, stored, change)) };
  await requireDeployable(deps, agent);
  const spec = compileManifest(agent);
  return { spec, checksum: checksumOf(spec), subject: { providers: providersOf(agent.config) } };
}
