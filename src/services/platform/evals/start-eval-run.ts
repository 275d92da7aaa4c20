import type { PlatformEvalOrder } from "../../../contracts/platform/evals.ts";
import { type AskedManifest, orderEvalRun } from "../../../evals/hosted/order-run.ts";
import type { EvalRunRow } from "../../../evals/hosted/tables.ts";
import { AppError } from "../../../kit/app-error.ts";
import { othersTurn } from "../../../kit/concurrency/others-turn.ts";
import { checksumOf } from "../../../kit/json/canonical-json.ts";
import { refusedManifest } from "../../../manifest/fault.ts";
import { findLiveAgent } from "../agents/find-live-agent.ts";
import { readSpec } from "../agents/read-spec.ts";
import type { TenantActor } from "../auth/credentials.ts";
import { type EvalDeps, ownerOf } from "./deps.ts";
import type { TenantEvalSubject } from "./schema.ts";

/**
 * Orders a run of an eval, which the worker then performs. Throws `eval_not_found`, `agent_not_found`, `invalid_manifest` (400) for a spec
 * that can't run, and `eval_runs_busy` (409) if too many runs of the tenant are open.
 */
export const startEvalRun = (
  deps: EvalDeps,
  tenant: TenantActor,
  name: string,
  { spec, budget_credits_micros: micros, ...order }: PlatformEvalOrder,
): Promise<EvalRunRow> =>
  orderEvalRun(deps, ownerOf(tenant), name, { ...order, budget: micros ?? null }, (agentName) =>
    askedVersion(deps, tenant.tenantId, agentName, spec),
  );

async function askedVersion(
  { runtime, storage }: EvalDeps,
  tenantId: string,
  agentName: string,
  given: PlatformEvalOrder["spec"],
): Promise<AskedManifest<TenantEvalSubject>> {
  const live = await findLiveAgent(storage, tenantId, agentName);
  const { spec, checksum } = given === undefined ? requireLive() : await sentVersion(given);
  return {
    spec,
    checksum,
    subject: {
      agentId: live?.id ?? null,
      version: live !== undefined && live.checksum === checksum ? live.version : null,
      subscriptionId: live?.subscriptionId ?? null,
    },
  };

  function requireLive() {
    if (live !== undefined) return live;
    throw new AppError("not_found", "agent_not_found", `There is no agent named ${agentName}.`, {
      details: { hint: "Send the manifest as `spec` to ask an agent that is not published yet." },
    });
  }

  async function sentVersion(text: NonNullable<PlatformEvalOrder["spec"]>) {
    const sent = await readSpec(
      typeof text === "string" ? { format: "yaml", text } : { format: "json", value: text },
    );
    if (sent.name !== agentName)
      throw refusedManifest([sent.place({ path: "metadata.name", message: `must be ${agentName}` })]);
    await othersTurn();
    const problems = await runtime.check(tenantId, sent.spec);
    if (problems.length > 0) throw refusedManifest(problems.map(sent.place));
    return { spec: sent.spec, checksum: checksumOf(sent.spec) };
  }
}
