import { AppError } from "../../kit/app-error.ts";
import { inPieces } from "../../kit/concurrency/others-turn.ts";
import type { ProposedCall } from "../tools/tool.ts";
import type { Run } from "./run.ts";

/**
 * Records a call that `agent` would have made. Because it leaves with the result, the output guardrails of the run and of all runs above
 * filter it. Returns the reason if it can't be recorded.
 */
export async function recordProposal(
  run: Run,
  agent: string,
  call: ProposedCall,
): Promise<string | undefined> {
  let { target, input } = call;
  let asked = run;
  try {
    for (let at: Run | undefined = run; at !== undefined; at = at.parent?.run) {
      const chain = at.agent.outputGuardrails;
      target = await inPieces(chain.filterValue(target), run.signal);
      input = await inPieces(chain.filterValue(input), run.signal);
      asked = at;
    }
  } catch (thrown) {
    if (thrown instanceof AppError) return `${call.tool} can't be proposed: ${thrown.message}`;
    throw thrown;
  }
  return run.proposals.add({ ...call, target, input }, agent === asked.agent.name ? undefined : agent);
}
