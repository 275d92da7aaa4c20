import type { OrgAgentStatus } from "../../../contracts/cloud/agents.ts";
import { AppError } from "../../../kit/app-error.ts";

/** A trigger that needs an agent in certain states. */
export type AgentTrigger = "deploy" | "pause" | "update" | "draft" | "run";

/*
 * A new agent is a draft. Deploying makes a draft or paused agent deployed; pausing makes a deployed one paused. Only drafts and paused
 * agents change directly; deployed and paused ones may have a draft of their next version. Only deployed ones run. Any agent may be deleted.
 */

const refusals: Readonly<Record<AgentTrigger, Partial<Record<OrgAgentStatus, (name: string) => AppError>>>> =
  {
    deploy: {
      deployed: (name) => new AppError("conflict", "agent_already_deployed", `${name} is already deployed.`),
    },
    pause: {
      draft: (name) => notDeployed(name, "so there is nothing to pause"),
      paused: (name) => new AppError("conflict", "agent_already_paused", `${name} is already paused.`),
    },
    update: {
      deployed: (name) =>
        new AppError(
          "invalid",
          "agent_deployed",
          `${name} is deployed. Change its draft and publish it, or pause the agent before you change it.`,
        ),
    },
    draft: {
      draft: (name) => notDeployed(name, "so change it directly"),
    },
    run: {
      draft: (name) => notDeployed(name, "deploy it first"),
      paused: (name) => notDeployed(name, "deploy it again first"),
    },
  };

/** Throws the error of a trigger that the agent's state refuses. */
export function requireState(
  trigger: AgentTrigger,
  { name, status }: { name: string; status: OrgAgentStatus },
): void {
  const refusal = refusals[trigger][status];
  if (refusal !== undefined) throw refusal(name);
}

const notDeployed = (name: string, mend: string) =>
  new AppError("invalid", "agent_not_deployed", `${name} is not deployed; ${mend}.`);
