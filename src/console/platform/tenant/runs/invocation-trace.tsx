import type { FeedbackGiven } from "../../../../contracts/daemon/runs/feedback.ts";
import { RunSteps } from "../../run-steps.tsx";
import { usePlatform } from "../../use-platform.ts";
import { JudgeRun } from "./judge-run.tsx";

interface InvocationTraceProps {
  tenantId: string;
  agent: string;
  id: string;
  /** The verdict that the run has already. */
  known: FeedbackGiven | undefined;
}

/** Question, answer and steps of a run that has ended, and the verdict below an answer that is kept. */
export function InvocationTrace({ tenantId, agent, id, known }: InvocationTraceProps) {
  const platform = usePlatform(tenantId);
  return (
    <RunSteps
      queryKey={["platform", tenantId, "invocation", agent, id]}
      read={() => platform.getInvocationTrace(agent, id)}
    >
      {(exchange) =>
        exchange?.answer !== undefined && (
          <JudgeRun
            tenantId={tenantId}
            agent={agent}
            invocation={id}
            query={exchange.question}
            answer={exchange.answer}
            known={known}
          />
        )
      }
    </RunSteps>
  );
}
