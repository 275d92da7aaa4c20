import { useQueryClient } from "@tanstack/react-query";
import type { FeedbackGiven } from "../../../../contracts/daemon/runs/feedback.ts";
import { AddCase } from "../../../hosted-evals/add-case.tsx";
import { evalKeys } from "../../../hosted-evals/eval-host.ts";
import { AnswerVerdict } from "../../../quality/answer-verdict.tsx";
import { usePlatform } from "../../use-platform.ts";
import { useRights } from "../rights.tsx";

interface JudgeRunProps {
  tenantId: string;
  agent: string;
  invocation: string;
  /** Absent where it is not kept. */
  query?: string | undefined;
  answer: string;
  known?: FeedbackGiven | undefined;
}

/** A verdict on an answer of a tenant's agent, and the way into an eval. */
export function JudgeRun({ tenantId, agent, invocation, query, answer, known }: JudgeRunProps) {
  const platform = usePlatform(tenantId);
  const queries = useQueryClient();
  const may = useRights();
  const give = async (verdict: FeedbackGiven) => {
    await (Object.keys(verdict).length === 0
      ? platform.deleteFeedback(invocation)
      : platform.giveFeedback(invocation, verdict));
    await queries.invalidateQueries({ queryKey: ["platform", tenantId, "agents", agent] });
  };
  if (!may("runs")) return null;
  const host = { calls: platform, keys: evalKeys("platform", tenantId) };
  return (
    <AnswerVerdict answer={answer} known={known} give={give}>
      {(correction) =>
        query !== undefined &&
        may("evals") && <AddCase host={host} agent={agent} query={query} expected={correction} />
      }
    </AnswerVerdict>
  );
}
