import type { Question } from "../../src/contracts/daemon/questions/question.ts";
import { newId } from "../../src/kit/id.ts";
import { platformWithAgent, type StagedLimits } from "./platform-agent.ts";
import { ended } from "./staged-runtime.ts";
import type { TestEngine } from "./storage-engines.ts";

/** The last frame of a run that waits for a decision on a refund, or for the answer to a question about it. */
export const pausing = (id = newId(), question?: Question) =>
  ended({
    outcome: "awaiting_approval",
    approval_id: id,
    approval: { tool: "refund", input: { order: 7 }, ...(question && { question }) },
  });

/** A platform with a run that has paused at one call, and the answer to its caller. After a decision, the run answers. */
export async function pausedRun(
  engine: TestEngine,
  limits: StagedLimits = { rate: 1000 },
  key?: string,
  question?: Question,
) {
  const platform = await platformWithAgent(engine, limits);
  platform.runtime.plays(async function* () {
    yield pausing(undefined, question);
  });
  const { owner } = platform;
  const paused = await platform.call("POST", "/api/v1/agents/support/run", {
    headers: { ...owner.asProgram, ...(key ? { "idempotency-key": key } : {}) },
    body: { query: "hi", context: { channel: "echo", sender: "ada" } },
  });
  platform.runtime.plays(async function* () {
    yield ended();
  });
  const decide = (verdict: string, body: object = {}, headers = owner.asProgram) =>
    platform.call("POST", `/api/v1/approvals/${paused.body.approval_id}/${verdict}`, { headers, body });
  return { ...platform, paused, decide };
}
