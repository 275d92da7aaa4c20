import type { CloudFrame, CloudRunResult } from "../../../contracts/cloud/runs.ts";
import type { RuntimeRun } from "../../../contracts/runtime/runs.ts";
import { followRun } from "../../../control-plane/runs/follow-run.ts";
import { pushedFrames } from "../../../control-plane/runs/runtime-frames.ts";
import { requireState } from "../agents/agent-state.ts";
import { registerAgent, runtimeChecksumOf, runtimeIdOf } from "../agents/registrations.ts";
import { type DeployedAgent, getAgent, type OrgAgentRow } from "../agents/store.ts";
import type { BegunOrgRun } from "./begin-run.ts";
import type { CloudRunDeps } from "./deps.ts";
import { cloudFrame, endedResult } from "./run-outcome.ts";

/**
 * Performs a run: yields its frames and returns its result, or throws the AppError of its failure. If the reader stops early or a signal
 * aborts, the run is cancelled. Its usage is recorded in every case.
 */
export const performRun = (
  deps: CloudRunDeps,
  run: BegunOrgRun,
  cancelledBy: readonly AbortSignal[],
): AsyncGenerator<CloudFrame, CloudRunResult> =>
  followRun<CloudFrame, void, CloudRunResult>(
    deps,
    { runId: run.runId, frames: () => runtimeFrames(deps, run), cancelledBy },
    {
      // Without a stream, the caller sees no frame before the result.
      show: (frame) => (run.isStreamed ? cloudFrame(frame) : undefined),
      settle({ ended }) {
        deps.runUsage.add(run.place, run.caller, ended?.usage ?? []);
      },
      resultOf: (_, end) => endedResult(end),
    },
  );

function runtimeFrames({ runtime, storage }: CloudRunDeps, run: BegunOrgRun) {
  const { request, slug } = run;
  const bodyOf = (agent: Pick<OrgAgentRow, "id" | "checksum">): RuntimeRun => ({
    run_id: run.runId,
    owner: run.owner,
    checksum: runtimeChecksumOf(agent),
    query: request.query,
    session_id: run.sessionId,
    context: request.context ?? {},
    ...(request.turns !== undefined && { turns: request.turns }),
    stream: run.isStreamed,
    provider_keys: run.providerKeys,
    ...(run.admitted && { late_usage: true }),
    ...(run.remember && { remember: run.remember }),
    ...(run.caller === "test" && { source: "playground" as const }),
    // An agent's other limits are in its manifest.
    limits: { timeout_ms: runTimeoutMs },
  });
  const { trial } = run;
  if (trial !== undefined) return trialFrames(runtime, trial, bodyOf(trial));
  let body = bodyOf(run.agent);
  return pushedFrames(
    () => runtime.run(runtimeIdOf(slug, run.agent.name), body),
    async () => {
      // It may have been deployed anew since the run began.
      const agent = await getAgent(storage.read, storage.tables, run.agent.orgId, run.agent.name);
      requireState("run", agent);
      await registerAgent(runtime, { ...agent, slug });
      body = bodyOf(agent);
    },
  );
}

/** The version is in the runtime as long as its run, under a name that no other run has. */
async function* trialFrames(runtime: CloudRunDeps["runtime"], trial: DeployedAgent, body: RuntimeRun) {
  const runtimeName = runtimeIdOf(trial.slug, trial.name);
  try {
    yield* pushedFrames(
      () => runtime.run(runtimeName, body),
      () => registerAgent(runtime, trial),
    );
  } finally {
    await runtime.deregister(runtimeName, trial.id, trial.orgId).catch(() => {});
  }
}

/** Longer than the time limit of every compiled manifest, which the runtime enforces. */
export const runTimeoutMs = 40_000;
