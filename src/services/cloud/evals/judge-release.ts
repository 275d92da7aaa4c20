import { judgeVersion } from "../../../evals/hosted/judge-versions.ts";
import type { JudgeOrgRelease } from "../agents/release-gate.ts";

/** Judges a version of an org's agent by the newest runs of the evals that its gate requires. */
export const judgeRelease: JudgeOrgRelease = (query, tables, version, requires) =>
  judgeVersion(query, tables, version, requires, {
    store: () => "`argosy cloud evals apply <file>` stores it",
    run: (evalName) => `\`argosy cloud evals run ${evalName} --agent ${version.agentName}\` asks it`,
  });
