import { readWrittenAnswer } from "../../../contracts/daemon/questions/written-answer.ts";
import { AppError } from "../../../kit/app-error.ts";
import { decideApproval, type GivenDecision } from "../approvals/decide-approval.ts";
import { operatorTenant } from "../operator-tenant.ts";
import { findOpenQuestion } from "../paused-runs/open-question.ts";
import type { RunDeps } from "../runs/admit-run.ts";
import type { ChannelQuestion } from "./process-event.ts";

/** What became of a message that answers a question: what the person has to do again, or nothing to say. */
export interface TakenAnswer {
  reply?: string;
}

/**
 * Takes a message as the answer to what a tool's server asked in this conversation. The resumed run answers the message that began it.
 * Returns undefined if nothing is asked.
 */
export async function answerQuestion(
  deps: RunDeps,
  { agent, sessionId, text, requestId }: Pick<ChannelQuestion, "agent" | "sessionId" | "text" | "requestId">,
): Promise<TakenAnswer | undefined> {
  const { approvals, stopping } = deps;
  const open = approvals && (await findOpenQuestion(approvals, operatorTenant, { agent, sessionId }));
  if (approvals === undefined || open === undefined) return undefined;
  const read = readWrittenAnswer(open.question, text);
  if ("faults" in read)
    return { reply: [...read.faults, 'Please answer again, or write "decline".'].join("\n") };
  const caller = { stream: false, signal: stopping, requestId };
  const decide = (decision: GivenDecision) => decideApproval(deps, approvals, open.id, decision, caller);
  try {
    await decide("answer" in read ? { verdict: "approved", answer: read.answer } : { verdict: "rejected" });
    return {};
  } catch (thrown) {
    if (!(thrown instanceof AppError)) throw thrown;
    // Somebody else was faster, so the message is one like any other.
    if (thrown.code === "approval_decided" || thrown.code === "approval_expired") return undefined;
    if (thrown.code !== "agent_changed") throw thrown;
    await decide({ verdict: "rejected" });
    return {};
  }
}
