import type { CloudFrame, CloudRunResult } from "../../../contracts/cloud/runs.ts";
import { watchRun } from "../../../contracts/runtime/run-stop.ts";
import type { RunEnded, RuntimeRun } from "../../../contracts/runtime/runs.ts";
import { type CutFrames, cutFrames, pushedFrames } from "../../../contracts/runtime/runtime-frames.ts";
import { requireState } from "../agents/agent-state.ts";
import { registerAgent, runtimeChecksumOf, runtimeIdOf } from "../agents/registrations.ts";
import { type AgentRow, getAgent } from "../agents/store.ts";
import type { BegunRun } from "./begin-run.ts";
import type { RunDeps } from "./deps.ts";
import { brokenOff, cloudFrame, resultOf, tokensOf } from "./run-outcome.ts";

/**
 * Performs a run: yields its frames and returns its result, or throws the AppError of its failure. If the reader stops early or a signal
 * aborts, the run is cancelled. Its tokens are recorded in every case.
 */
export async function* performRun(
  deps: RunDeps,
  run: BegunRun,
  cancelledBy: readonly AbortSignal[],
): AsyncGenerator<CloudFrame, CloudRunResult> {
  const watch = watchRun(deps, run.runId, cancelledBy);
  const frames = cutFrames(() => runtimeFrames(deps, run), watch.cutOff);
  let ended: RunEnded | undefined;
  let isRead = true;
  try {
    let frame = watch.reason === undefined ? await frames.next() : undefined;
    for (; frame !== undefined && frame.type !== "ended"; frame = await frames.next()) {
      // Without a stream, the caller sees no frame before the result.
      const shown = run.isStreamed ? cloudFrame(frame) : undefined;
      if (shown === undefined) continue;
      isRead = false;
      yield shown;
      isRead = true;
    }
    ended = frame;
  } catch (thrown) {
    throw brokenOff(thrown, watch.reason);
  } finally {
    if (!isRead) {
      // The reader has left. Reads on until the run stops, to learn its usage.
      watch.stop("cancelled");
      ended = await lastFrame(frames);
    }
    watch.close();
    frames.end();
    if (run.admitted !== undefined) deps.runTokens.add(run.admitted, tokensOf(ended));
  }
  if (ended === undefined) throw brokenOff(undefined, watch.reason);
  return resultOf(ended, watch.reason);
}

function runtimeFrames({ runtime, storage }: RunDeps, run: BegunRun) {
  const { request, slug } = run;
  const bodyOf = (agent: Pick<AgentRow, "id" | "checksum">): RuntimeRun => ({
    run_id: run.runId,
    owner: run.owner,
    checksum: runtimeChecksumOf(agent),
    query: request.query,
    session_id: run.sessionId,
    context: request.context ?? {},
    stream: run.isStreamed,
    provider_keys: run.providerKeys,
    ...(run.admitted && { late_usage: true }),
    ...(run.remember && { remember: run.remember }),
    // An agent's other limits are in its manifest.
    limits: { timeout_ms: runTimeoutMs },
  });
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

/** Longer than the time limit of every compiled manifest, which the runtime enforces. */
export const runTimeoutMs = 40_000;

async function lastFrame(frames: CutFrames): Promise<RunEnded | undefined> {
  try {
    for (;;) {
      const frame = await frames.next();
      if (frame === undefined || frame.type === "ended") return frame;
    }
  } catch {
    return undefined;
  }
}
