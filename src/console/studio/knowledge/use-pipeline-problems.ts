import { useEffect, useState } from "react";
import type { ProblemBody as Problem } from "../../../contracts/error-body.ts";

const typingPauseMs = 250;
const none: readonly Problem[] = [];

/** The problems of a pipeline's text that is being written, a moment after the last change. */
export function usePipelineProblems(text: string): readonly Problem[] {
  const [problems, setProblems] = useState<readonly Problem[]>(none);
  useEffect(() => {
    let isOvertaken = false;
    const timer = setTimeout(async () => {
      const { checkPipeline } = await import("./check-pipeline.ts");
      const found = checkPipeline(text);
      if (!isOvertaken) setProblems(found.length === 0 ? none : found);
    }, typingPauseMs);
    return () => {
      isOvertaken = true;
      clearTimeout(timer);
    };
  }, [text]);
  return problems;
}
