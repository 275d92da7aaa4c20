import { Value } from "@sinclair/typebox/value";
import type { A2aMessage } from "../../../contracts/daemon/a2a.ts";
import { Answer, type Question } from "../../../contracts/daemon/questions/question.ts";
import { readWrittenAnswer } from "../../../contracts/daemon/questions/written-answer.ts";
import type { RunEvent } from "../../../engine/run-state/run-event.ts";
import { AppError } from "../../../kit/app-error.ts";
import { decideApproval, type GivenDecision } from "../approvals/decide-approval.ts";
import { operatorTenant } from "../operator-tenant.ts";
import type { Decider } from "../paused-runs/resume-run.ts";
import { findApproval } from "../paused-runs/store.ts";
import type { RunDeps } from "../runs/admit-run.ts";
import type { KeptTask } from "./task-store.ts";

/**
 * Takes a message as the answer to what a tool's server asked, and returns the events of the task's run as it goes on. Only such a task can
 * be continued by a message. Throws AppError `invalid_request` if the answer doesn't fit; the question stays open then.
 */
export async function answerTask(
  deps: RunDeps,
  kept: KeptTask,
  message: A2aMessage,
  caller: Decider,
): Promise<AsyncIterable<RunEvent>> {
  const { approvals } = deps;
  const { task } = kept;
  const id = task.status.state === "input-required" ? task.metadata?.approval_id : undefined;
  const row =
    approvals && typeof id === "string" && (await findApproval(approvals.storage, operatorTenant, id));
  const question = row ? approvals?.vault.open("asked", row)?.question : undefined;
  if (approvals === undefined || !row || question === undefined) throw notContinued();
  const decided = await decideApproval(deps, approvals, row.id, decisionIn(question, message), caller);
  if ("closed" in decided) throw new AppError("conflict", "agent_changed", decided.closed.message);
  kept.isAnswered = true;
  delete task.metadata;
  const { contextId } = task;
  task.history = [...(task.history ?? []), { ...message, kind: "message", contextId }];
  return decided.events;
}

/** The values as data, or an answer in words. */
function decisionIn(question: Question, { role, parts }: A2aMessage): GivenDecision {
  if (role !== "user") throw invalid("message.role must be the user's.");
  const data = parts.find((part) => part.kind === "data");
  if (data !== undefined) {
    if (!Value.Check(Answer, data.data)) throw invalid("The data must have the values of the form by name.");
    return { verdict: "approved", answer: data.data };
  }
  const texts = parts.map((part) => (part.kind === "text" ? part.text : ""));
  const read = readWrittenAnswer(question, texts.join("\n"));
  if ("faults" in read) throw invalid(read.faults.join(" "));
  return "answer" in read ? { verdict: "approved", answer: read.answer } : { verdict: "rejected" };
}

const invalid = (message: string) => new AppError("invalid", "invalid_request", message);

const notContinued = () =>
  new AppError("unsupported", "operation_not_supported", "A task cannot be continued by a message.", {
    details: {
      hint: "Only a task whose tool asks a question can. Send the message with its contextId, without taskId.",
    },
  });
