import type { CloudRunRequest, CloudTrial } from "../../../contracts/cloud/runs.ts";
import type { RunRemember } from "../../../contracts/daemon/runs/run.ts";
import { contextProblem, queryProblem, turnsProblem } from "../../../http/bodies/run-body.ts";
import { AppError } from "../../../kit/app-error.ts";
import { countSteps, shortTurn } from "../../../kit/concurrency/others-turn.ts";
import { dayOf } from "../../../kit/utc-calendar.ts";
import type { OrgActor } from "../access/credentials.ts";
import { requireState } from "../agents/agent-state.ts";
import { missingAgent } from "../agents/former-names.ts";
import type { DeployedAgent, RunnableRow } from "../agents/store.ts";
import { providersOf } from "../agents/wizard/compile-manifest.ts";
import { orgOwner } from "../members/org-owner.ts";
import { openProviderKeys } from "../providers/provider-keys.ts";
import { requireOrgRoom } from "../room/org-room.ts";
import type { DailyAdmission } from "./daily-limit.ts";
import type { CloudRunDeps } from "./deps.ts";
import type { AgentDay, UsageCaller } from "./run-usage.ts";

/** A run that may begin. */
export interface BegunOrgRun {
  runId: string;
  /** The person behind the org. */
  owner: string;
  slug: string;
  agent: Pick<RunnableRow, "id" | "orgId" | "name" | "checksum">;
  /** For a trial: the version that is asked, which the runtime has for this run alone. */
  trial?: DeployedAgent;
  request: Omit<CloudTrial, "agent">;
  sessionId: string;
  providerKeys: Record<string, string>;
  /** Undefined for a test, which is not counted. */
  admitted: DailyAdmission | undefined;
  /** Where its usage is recorded. */
  place: AgentDay;
  caller: UsageCaller;
  /** What a test stores. Undefined for a real run, which stores what its agent remembers. */
  remember: RunRemember | undefined;
  isStreamed: boolean;
}

export interface OrgRunCall {
  actor: OrgActor;
  /** Undefined if the org has no agent of this name. */
  runnable: RunnableRow | undefined;
  agentName: string;
  request: CloudRunRequest;
  isCounted: boolean;
  isStreamed: boolean;
}

/** Returns the agent if it accepts runs: 404 if there is none, 400 `agent_not_deployed` otherwise. */
export async function requireDeployed(
  { storage: { read, tables } }: Pick<CloudRunDeps, "storage">,
  { actor, runnable, agentName }: Pick<OrgRunCall, "actor" | "runnable" | "agentName">,
): Promise<RunnableRow> {
  if (runnable === undefined) throw await missingAgent(read, tables, actor.org.id, agentName);
  requireState("run", runnable);
  return runnable;
}

/** Throws 400 `invalid_request` for a question, a context or turns that no run takes. */
export function requireSound({ query, context = {}, turns }: BegunOrgRun["request"]): void {
  const problem = contextProblem(context) ?? queryProblem(query) ?? turnsProblem(turns);
  if (problem === undefined) return;
  const message = `The request is not valid: ${problem.path} ${problem.message}.`;
  throw new AppError("invalid", "invalid_request", message, { details: { problems: [problem] } });
}

/** Opening the keys and asking the runtime take up to 0.2 ms. */
const stepsOfRequest = 20_000;

/** Checks everything that can refuse a run, and counts it last. */
export async function beginRun(deps: CloudRunDeps, call: OrgRunCall): Promise<BegunOrgRun> {
  const { actor, agentName, request, isCounted, isStreamed } = call;
  requireSound(request);
  // Hundreds of requests may arrive in one pass of the event loop.
  if (countSteps(stepsOfRequest)) await shortTurn();
  const agent = await requireDeployed(deps, call);
  const providerKeys = openProviderKeys(deps, actor.org.id, agent.sealedKeys, providersOf(agent.config));
  await requireOrgRoom(deps, actor);
  const runId = deps.newId();
  const owner = await orgOwner(deps, actor.org.id);
  const admitted = isCounted ? await deps.admissions.admit(actor, agentName) : undefined;
  return {
    runId,
    owner,
    slug: actor.org.slug,
    agent,
    request,
    sessionId: request.session_id ?? runId,
    providerKeys,
    admitted,
    place: admitted ?? { orgId: actor.org.id, day: dayOf(deps.clock.now()), agent: agentName },
    caller: isCounted ? callerOf(actor) : "test",
    remember: isCounted ? undefined : request.session_id === undefined ? "nothing" : "apart",
    isStreamed,
  };
}

const callerOf = ({ keyId, userId }: OrgActor): UsageCaller => {
  if (keyId !== undefined) return `key:${keyId}`;
  return userId === "" ? "machine" : `user:${userId}`;
};
