import { Elysia } from "elysia";
import { Canary, CanaryEnd } from "../../../contracts/daemon/canary.ts";
import type { VersionFigures } from "../../../evals/canary/judge-canary.ts";
import { jsonBody } from "../../../http/bodies/json-body.ts";
import type { Call } from "../../../http/call.ts";
import { jsonRoutes } from "../../../http/route-plugins.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { AgentCatalog } from "../agents/agent-catalog.ts";
import type { CanaryLine } from "./canary-journal.ts";
import type { CanaryRuns } from "./canary-runs.ts";

const tags = ["agents"];
const ownersOnly = "Only for the owner of this machine.";

/** Routes for the canary of an agent: its figures include what runs cost. */
export const canaryRoutes = ({ catalog, canaries }: { catalog: AgentCatalog; canaries: CanaryRuns }) =>
  new Elysia({ prefix: "/v1/agents/:name/canary" })
    .use(jsonRoutes())
    .get(
      "",
      async ({ params: { name }, call }) => {
        requireOwner(call);
        await catalog.getEntry(name);
        return present(name, await canaries.look(name));
      },
      {
        response: Canary,
        detail: {
          tags,
          operationId: "getCanary",
          summary: "Returns the newest canary of an agent with its figures and steps",
          description: `${ownersOnly} 404 \`no_canary\` if the agent never had one.`,
        },
      },
    )
    .post(
      "",
      async ({ params: { name }, body, call }) => {
        requireOwner(call);
        await canaries.end(name, body.verdict, body.reason);
        return present(name, await canaries.look(name));
      },
      {
        ...jsonBody(CanaryEnd),
        response: Canary,
        detail: {
          tags,
          operationId: "endCanary",
          summary: "Ends the open canary of an agent: promotes or returns the new version",
          description: `${ownersOnly} The version has passed its release gate. 404 \`no_canary\` if no canary is open.`,
        },
      },
    );

function requireOwner({ isOwner }: Pick<Call, "isOwner">): void {
  if (isOwner) return;
  throw new AppError("forbidden", "owner_only", "Only this machine's owner works with canaries.", {
    details: { hint: "Use the command line on this machine, or the console opened with `argosy console`." },
  });
}

const states = {
  canary_started: "open",
  canary_judged: "open",
  canary_promoted: "promoted",
  canary_returned: "returned",
  canary_withdrawn: "withdrawn",
} as const;

function present(agent: string, { steps, figures }: Awaited<ReturnType<CanaryRuns["look"]>>): Canary {
  const [started] = steps;
  const last = steps.at(-1);
  const { baseline = "", percent = 0 } = started?.event === "canary_started" ? started : {};
  return {
    agent,
    state: states[last?.event ?? "canary_started"],
    fingerprint: last?.fingerprint ?? "",
    ...{ baseline, percent },
    ...(figures && {
      figures: { canary: presentFigures(figures.canary), baseline: presentFigures(figures.baseline) },
    }),
    events: steps.map(presentStep),
  };
}

const presentFigures = ({ runs, errors, rated, liked, cost }: VersionFigures) => ({
  ...{ runs, errors, rated, liked },
  ...(cost.count > 0 && { mean_cost_usd: cost.sum / cost.count }),
});

function presentStep(step: CanaryLine): Canary["events"][number] {
  const event = step.event.replace("canary_", "") as Canary["events"][number]["event"];
  return {
    ...{ event, at: step.at },
    ...("reasons" in step && { reasons: step.reasons }),
    ...("by" in step && step.by && { by: step.by }),
  };
}
