import { and, eq } from "drizzle-orm";
import { AppError } from "../../../kit/app-error.ts";
import { findLiveAgent, type LiveAgent } from "../agents/find-live-agent.ts";
import type { StoreDeps } from "../tables.ts";
import type { InvocationRow } from "./schema.ts";

/** How a run came to wait, and what can be done if its agent has changed since. */
const words = {
  paused: {
    since: "the run paused",
    ifDeleted: "Reject the approval, which ends the run without a charge.",
    ifChanged: "Restore the version of the paused run, or reject the approval and run the agent again.",
  },
  interrupted: {
    since: "the run was interrupted",
    ifDeleted: "Run another agent.",
    ifChanged: "Run the agent again with another Idempotency-Key.",
  },
};

/** Returns the agent if it is the same as when the run began, or else the refusal. Another version can't resume the run. */
export async function sameAgent(
  { storage }: Pick<StoreDeps, "storage">,
  { tenantId, agentId, agentName, agentVersion }: InvocationRow,
  left: keyof typeof words,
): Promise<LiveAgent | AppError> {
  const { agentVersions } = storage.tables;
  const { since, ifDeleted, ifChanged } = words[left];
  const agent = await findLiveAgent(storage, tenantId, agentName);
  const [begun] = await storage.read
    .select({ checksum: agentVersions.checksum })
    .from(agentVersions)
    .where(
      and(
        eq(agentVersions.tenantId, tenantId),
        eq(agentVersions.agentId, agentId),
        eq(agentVersions.number, agentVersion),
      ),
    );
  // An agent that was created later with the same name is another one.
  if (agent?.id !== agentId) {
    return cannotResume(`Agent ${agentName} was deleted after ${since}, so the run can't resume.`, ifDeleted);
  }
  if (agent.checksum === begun?.checksum) return agent;
  return cannotResume(`Agent ${agentName} has changed since ${since}, so the run can't resume.`, ifChanged);
}

const cannotResume = (message: string, hint: string) =>
  new AppError("conflict", "agent_changed", message, { details: { hint } });
