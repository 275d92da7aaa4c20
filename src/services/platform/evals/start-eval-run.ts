import { and, count, eq, isNull } from "drizzle-orm";
import { openEvalRunsMax, type PlatformEvalOrder } from "../../../contracts/platform/evals.ts";
import { AppError } from "../../../kit/app-error.ts";
import { othersTurn } from "../../../kit/concurrency/others-turn.ts";
import { checksumOf } from "../../../kit/json/canonical-json.ts";
import { findLiveAgent, type LiveAgent } from "../agents/find-live-agent.ts";
import { readSpec, refusedSpec } from "../agents/read-spec.ts";
import type { TenantActor } from "../auth/credentials.ts";
import type { EvalDeps } from "./deps.ts";
import { storedEval } from "./read-eval.ts";
import { dropOldEvalRuns } from "./run-store.ts";
import { getEval } from "./save-evals.ts";
import type { EvalRunRow } from "./schema.ts";

/** Cases at the same time, unless the order says otherwise. */
const concurrencyDefaultMax = 4;

/**
 * Orders a run of an eval, which the worker then performs. Throws `eval_not_found`, `agent_not_found`, `invalid_manifest` (400) for a spec
 * that can't run, and `eval_runs_busy` (409) if too many runs of the tenant are open.
 */
export async function startEvalRun(
  deps: EvalDeps,
  tenant: TenantActor,
  name: string,
  order: PlatformEvalOrder,
): Promise<EvalRunRow> {
  const { storage, clock, newId } = deps;
  const { tables } = storage;
  const { evalRuns } = tables;
  const { tenantId, author } = tenant;
  const stored = await getEval(storage.read, tables, tenantId, name);
  const { spec, cases } = await storedEval(stored.document);
  const agentName = order.agent ?? stored.agentName;
  const live = await findLiveAgent(storage, tenantId, agentName);
  const asked = await askedSpec(deps, tenantId, agentName, live, order.spec);
  const row: EvalRunRow = {
    tenantId,
    id: newId(),
    evalName: name,
    content: stored.content,
    document: stored.document,
    agentId: live?.id ?? null,
    agentName,
    agentVersion: live !== undefined && live.checksum === asked.checksum ? live.version : null,
    subscriptionId: live?.subscriptionId ?? null,
    spec: asked.spec,
    checksum: asked.checksum,
    status: "queued",
    owner: null,
    concurrency: order.concurrency ?? Math.min(spec.concurrency, concurrencyDefaultMax),
    budgetMicros: order.budget_credits_micros ?? null,
    cases: cases.length,
    repeat: spec.repeat,
    finished: 0,
    passed: 0,
    chargedMicros: 0,
    simulated: false,
    summary: null,
    errorCode: null,
    message: null,
    author,
    createdAt: clock.now(),
    endedAt: null,
  };
  await storage.transact(async (tx) => {
    const [open] = await tx
      .select({ runs: count() })
      .from(evalRuns)
      .where(and(eq(evalRuns.tenantId, tenantId), isNull(evalRuns.endedAt)));
    if ((open?.runs ?? 0) >= openEvalRunsMax) throw busy();
    await tx.insert(evalRuns).values(row);
    await dropOldEvalRuns(tx, tables, tenantId);
  });
  deps.evalWork.wake();
  return row;
}

async function askedSpec(
  { runtime }: EvalDeps,
  tenantId: string,
  agentName: string,
  live: LiveAgent | undefined,
  given: PlatformEvalOrder["spec"],
): Promise<{ spec: Record<string, unknown>; checksum: string }> {
  if (given === undefined) {
    if (live !== undefined) return live;
    throw new AppError("not_found", "agent_not_found", `There is no agent named ${agentName}.`, {
      details: { hint: "Send the manifest as `spec` to ask an agent that is not published yet." },
    });
  }
  const sent = await readSpec(
    typeof given === "string" ? { format: "yaml", text: given } : { format: "json", value: given },
  );
  if (sent.name !== agentName)
    throw refusedSpec([sent.place({ path: "metadata.name", message: `must be ${agentName}` })]);
  await othersTurn();
  const problems = await runtime.check(tenantId, sent.spec);
  if (problems.length > 0) throw refusedSpec(problems.map(sent.place));
  return { spec: sent.spec, checksum: checksumOf(sent.spec) };
}

const busy = () =>
  new AppError(
    "conflict",
    "eval_runs_busy",
    `At most ${openEvalRunsMax} runs of evals of a tenant may wait or work.`,
    { details: { hint: "Wait until one has ended, or cancel one." } },
  );
