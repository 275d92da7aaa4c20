import { Elysia } from "elysia";
import { PlatformRunResult, PlatformTrial } from "../../../contracts/platform/runs/runs.ts";
import type { RuntimeClient } from "../../../contracts/runtime/client.ts";
import { runToEnd } from "../../../control-plane/runs/follow-run.ts";
import { jsonBody } from "../../../http/bodies/json-body.ts";
import { holdOpen } from "../../../http/call.ts";
import { jsonRoutes } from "../../../http/route-plugins.ts";
import { checksumOf } from "../../../kit/json/canonical-json.ts";
import { refusedManifest } from "../../../manifest/fault.ts";
import { findLiveAgent } from "../agents/find-live-agent.ts";
import { readSpec } from "../agents/read-spec.ts";
import type { Candidate, Registrations } from "../agents/registrations.ts";
import { type TenantActor, tenantCredential } from "../auth/credentials.ts";
import { beginWith, requireSound } from "./admission/begin-run.ts";
import type { TenantRunDeps } from "./deps.ts";
import { type BegunRun, performRun } from "./perform-run.ts";
import { answerOf } from "./run-once.ts";
import { runEvents, wantsEvents, watchedStream } from "./streams/stream-run.ts";

interface TrialDeps extends TenantRunDeps {
  runtime: TenantRunDeps["runtime"] & Pick<RuntimeClient, "check" | "deregister">;
}

/** The route that asks an agent as it is written, before it is stored. */
export const trialRoutes = (deps: TrialDeps, registrations: Registrations) =>
  new Elysia({ prefix: "/api/v1" })
    .use(jsonRoutes())
    .use(tenantCredential(deps, "agents"))
    .post(
      "/try",
      async ({ tenant, body, request, call, set }) => {
        holdOpen(call, request);
        const isStreamed = wantsEvents(request);
        const run = await beginTrial(deps, registrations, tenant, body, isStreamed);
        if (isStreamed) return runEvents(deps, watchedStream(deps, run), { request, call }) as never;
        const outcome = await runToEnd(performRun(deps, { ...run, cancelledBy: [request.signal] }));
        const answer = answerOf(outcome);
        set.status = answer.status;
        Object.assign(set.headers, answer.headers);
        return answer.body as never;
      },
      {
        ...jsonBody(PlatformTrial),
        response: PlatformRunResult,
        detail: {
          tags: ["runs"],
          operationId: "tryAgent",
          summary: "Asks an agent as it is sent; stores neither it nor the conversation",
          description:
            "Admitted, recorded and charged like any run. The agent need not exist. `turns` are the conversation before the question. With `Accept: text/event-stream`, the response is a stream of frames.",
        },
      },
    );

/** Throws `invalid_manifest` (400) for a manifest that can't run, and the refusals of any run. */
async function beginTrial(
  deps: TrialDeps,
  registrations: Registrations,
  tenant: TenantActor,
  { spec: given, query, turns, context, trace_content }: PlatformTrial,
  stream: boolean,
): Promise<BegunRun> {
  const { tenantId } = tenant;
  const said = {
    query,
    ...(turns !== undefined && { turns }),
    ...(context !== undefined && { context }),
    ...(trace_content !== undefined && { trace_content }),
  };
  const asked = {
    ...said,
    tenant,
    idempotencyKey: undefined,
    source: "playground" as const,
    stream,
    cancelledBy: [],
    trial: { remember: "nothing" as const },
  };
  const sent = await readSpec(
    typeof given === "string" ? { format: "yaml", text: given } : { format: "json", value: given },
  );
  const call = { ...asked, agentName: sent.name };
  requireSound(call);
  const problems = await deps.runtime.check(tenantId, sent.spec);
  if (problems.length > 0) throw refusedManifest(problems.map(sent.place));
  const live = await findLiveAgent(deps.storage, tenantId, sent.name);
  const id = deps.newId();
  const candidate: Candidate = {
    tenantId,
    id: live?.id ?? id,
    name: sent.name,
    // It has no number yet.
    version: 0,
    subscriptionId: live?.subscriptionId ?? null,
    checksum: checksumOf(sent.spec),
    spec: sent.spec,
    namespace: `d-${id}`,
    memoryId: id,
  };
  const drop = async () => {
    registrations.drop(candidate);
    await deps.runtime.deregister(registrations.runtimeNameOf(candidate), id, tenantId).catch(() => {});
  };
  try {
    const ready = await registrations.ready(candidate);
    const pushAgain = () => registrations.pushAgain(candidate);
    const beginning = await beginWith(deps, { agent: candidate, ready, pushAgain }, call);
    if (beginning.kind === "replay") throw new TypeError("A run without a key is never a repetition.");
    const { run } = beginning;
    return {
      ...run,
      async *frames() {
        try {
          yield* run.frames();
        } finally {
          await drop();
        }
      },
    };
  } catch (thrown) {
    await drop();
    throw thrown;
  }
}
