import { placeOf, together } from "../../../evals/gate/requirements.ts";
import { judgeVersion } from "../../../evals/hosted/judge-versions.ts";
import type { JudgeRelease } from "../agents/release-gate.ts";

/**
 * Judges a version by the newest runs of the evals that it requires. A version must also meet the gate of its name: leaving requirements out
 * is no way round them.
 */
export const judgeRelease: JudgeRelease = async (
  tx,
  tables,
  { tenantId, name, checksum, requires: own, standing },
) => {
  // The spec in service again changes nothing.
  if (standing.isLive && standing.before === checksum) return { problems: [], runs: {} };
  const version = { ownerId: tenantId, agentName: name, checksum, before: standing.before };
  const verdicts = await judgeVersion(tx, tables, version, together(own, standing.requires), {
    store: () => "`argosy platform evals apply <file>` stores it",
    run: (evalName) => `\`argosy platform evals run ${evalName} --manifest <file>\` asks it`,
  });
  return {
    problems: verdicts.flatMap(({ required, reasons }) =>
      reasons.map((message) => ({ path: placeOf(own, required), message })),
    ),
    runs: Object.fromEntries(
      verdicts.flatMap(({ required, run }) => (run === undefined ? [] : [[required.eval, run]])),
    ),
  };
};
