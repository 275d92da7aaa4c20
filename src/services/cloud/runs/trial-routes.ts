import { Elysia } from "elysia";
import type { AgentInput } from "../../../contracts/cloud/agents.ts";
import { CloudRunResult, CloudTrial } from "../../../contracts/cloud/runs.ts";
import { jsonBody } from "../../../http/bodies/json-body.ts";
import { jsonRoutes } from "../../../http/route-plugins.ts";
import { wantsEventStream } from "../../../http/streams/accept.ts";
import { inPieces } from "../../../kit/concurrency/others-turn.ts";
import { checksumOf } from "../../../kit/json/canonical-json.ts";
import { dayOf } from "../../../kit/utc-calendar.ts";
import { limitChanges } from "../access/change-limit.ts";
import { type OrgActor, orgCredential } from "../access/credentials.ts";
import { namesOf } from "../agents/catalog.ts";
import { requireDeployable } from "../agents/deploy-agent.ts";
import type { CloudAgentDeps } from "../agents/deps.ts";
import { inputProblems, invalidConfig } from "../agents/wizard/check-config.ts";
import { compileManifest, providersOf } from "../agents/wizard/compile-manifest.ts";
import { orgOwner } from "../members/org-owner.ts";
import { requireProviderKeys } from "../providers/provider-keys.ts";
import { requireOrgRoom } from "../room/org-room.ts";
import { type BegunOrgRun, requireSound } from "./begin-run.ts";
import { rateLimitHeaders, readDailyLimit } from "./daily-limit.ts";
import type { CloudRunDeps } from "./deps.ts";
import { runOnce, streamOnce } from "./run-once.ts";

interface TrialDeps extends CloudRunDeps, Pick<CloudAgentDeps, "log"> {
  runtime: CloudRunDeps["runtime"] & CloudAgentDeps["runtime"];
}

/** The route that asks an agent as it is written, before it is stored. */
export const trialRoutes = (deps: TrialDeps) =>
  new Elysia({ prefix: "/api/v1/orgs/:slug" })
    .use(jsonRoutes())
    .use(orgCredential(deps))
    .derive(limitChanges(deps))
    .post(
      "/try",
      async ({ actor, body, request, call, set }) => {
        const isStreamed = wantsEventStream(request.headers);
        Object.assign(set.headers, rateLimitHeaders(await readDailyLimit(deps, actor)));
        const once = { actor, request, call, begin: () => beginTrial(deps, actor, body, isStreamed) };
        // Elysia sends a Response unchanged, but its types don't allow an async handler to return one or a result.
        if (isStreamed) return (await streamOnce(deps, once)) as never;
        return runOnce(deps, once);
      },
      {
        ...jsonBody(CloudTrial),
        response: CloudRunResult,
        detail: {
          tags: ["runs"],
          operationId: "tryAgent",
          summary: "Asks an agent as it is sent; stores nothing and is not counted",
          description:
            "The agent need not exist. `turns` are the conversation before the question. With `Accept: text/event-stream`, the response is a stream of frames.",
        },
      },
    );

/** Checks the agent by the rules of a deployment, and everything else that can refuse a run. */
async function beginTrial(
  deps: TrialDeps,
  actor: OrgActor,
  { agent: input, ...request }: CloudTrial,
  isStreamed: boolean,
): Promise<BegunOrgRun> {
  const { org } = actor;
  requireSound(request);
  const problems = await inPieces(inputProblems(input, await namesOf(deps.runtime)));
  if (problems.length > 0) throw invalidConfig(problems);
  const { name, display_name, ...config } = input as AgentInput;
  const agent = { name, displayName: display_name.trim(), config, orgId: org.id };
  await requireDeployable(deps, agent);
  await requireOrgRoom(deps, actor);
  const spec = compileManifest(agent);
  const runId = deps.newId();
  // No org has a slug of this form.
  const trial = { id: runId, orgId: org.id, name, slug: `d-${runId}`, spec, checksum: checksumOf(spec) };
  return {
    runId,
    owner: await orgOwner(deps, org.id),
    slug: org.slug,
    agent: trial,
    trial,
    request,
    sessionId: runId,
    providerKeys: await requireProviderKeys(deps, org.id, providersOf(config)),
    admitted: undefined,
    place: { orgId: org.id, day: dayOf(deps.clock.now()), agent: name },
    caller: "test",
    remember: "nothing",
    isStreamed,
  };
}
