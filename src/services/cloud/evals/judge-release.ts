import { judgeVersion } from "../../../evals/hosted/judge-versions.ts";
import type { JudgeRelease } from "../agents/release-gate.ts";

/** Judges a version of an org's agent by the newest runs of the evals that its gate requires. */
export const judgeRelease: JudgeRelease = (query, tables, version, requires) => {
  const path = (evalName: string) => `/api/v1/orgs/${version.slug}/evals/${evalName}`;
  return judgeVersion(query, tables, version, requires, {
    store: (evalName) => `PUT ${path(evalName)} stores it`,
    run: (evalName) => `POST ${path(evalName)}/runs asks it`,
  });
};
