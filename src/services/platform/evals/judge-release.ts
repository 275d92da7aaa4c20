import { isSame, placeOf, together } from "../../../evals/gate/requirements.ts";
import { judgeVersion } from "../../../evals/hosted/judge-versions.ts";
import { storedManifest } from "../agents/read-spec.ts";
import type { JudgeRelease } from "../agents/release-gate.ts";

/**
 * Judges a version by the newest runs of the evals that it requires. A version must also meet the requirements of the one in service: leaving
 * them out is no way round them.
 */
export const judgeRelease: JudgeRelease = async (
  tx,
  tables,
  { tenantId, name, checksum, requires: own, before },
) => {
  const earlier = (before && storedManifest(before.spec)?.spec.release?.requires) ?? [];
  // The same spec again changes nothing.
  if (before?.checksum === checksum && isSame(own, earlier)) return { problems: [], runs: {} };
  const version = { ownerId: tenantId, agentName: name, checksum, before: before?.checksum };
  const verdicts = await judgeVersion(tx, tables, version, together(own, earlier), {
    store: (evalName) => `PUT /api/v1/evals/${evalName} stores it`,
    run: (evalName) => `POST /api/v1/evals/${evalName}/runs with this manifest as \`spec\``,
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
