import { useEffect, useState } from "react";
import type { ProblemBody } from "../../contracts/error-body.ts";
import type { EditedKind } from "./check-manifest.ts";

const typingPauseMs = 250;
const none: readonly ProblemBody[] = [];

/** Returns the problems of a manifest in the editor, shortly after the last change. */
export function useManifestProblems(kind: EditedKind, text: string): readonly ProblemBody[] {
  const [problems, setProblems] = useState(none);
  useEffect(() => {
    let isOvertaken = false;
    const timer = setTimeout(async () => {
      const { checkManifest } = await import("./check-manifest.ts");
      const found = checkManifest(kind, text);
      if (!isOvertaken) setProblems(found.length === 0 ? none : found);
    }, typingPauseMs);
    return () => {
      isOvertaken = true;
      clearTimeout(timer);
    };
  }, [kind, text]);
  return problems;
}
