import { useQueryClient } from "@tanstack/react-query";
import type { FeedbackGiven } from "../../../contracts/daemon/runs/feedback.ts";
import { AnswerVerdict } from "../../quality/answer-verdict.tsx";
import { AddToEval } from "../evals/add-to-eval.tsx";
import { useDaemon } from "../use-daemon.ts";

/** A verdict on an answer of the daemon, and the way into an eval. */
export function JudgeAnswer({ trace, answer }: { trace: string; answer: string }) {
  const daemon = useDaemon();
  const queries = useQueryClient();
  const give = async (verdict: FeedbackGiven) => {
    await (Object.keys(verdict).length === 0
      ? daemon.deleteFeedback(trace)
      : daemon.giveFeedback(trace, verdict));
    await queries.invalidateQueries({ queryKey: ["daemon", "traces"] });
  };
  return (
    <AnswerVerdict answer={answer} give={give}>
      {(correction) => <AddToEval trace={trace} correction={correction} isSmall />}
    </AnswerVerdict>
  );
}
