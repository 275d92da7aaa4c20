import { useEffect, useState } from "react";
import type { ProblemBody as Problem } from "../../../../contracts/error-body.ts";

const typingPauseMs = 250;
const none: readonly Problem[] = [];

/** The problems of a text that is being written, a moment after the last change. */
export function useManifestProblems(text: string): readonly Problem[] {
  const [problems, setProblems] = useState<readonly Problem[]>(none);
  useEffect(() => {
    let isOvertaken = false;
    const timer = setTimeout(async () => {
      const { checkManifest } = await import("./check-manifest.ts");
      if (!isOvertaken) setProblems(text.trim() === "" ? none : checkManifest(text));
    }, typingPauseMs);
    return () => {
      isOvertaken = true;
      clearTimeout(timer);
    };
  }, [text]);
  return problems;
}
