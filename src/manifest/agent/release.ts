import { Type } from "@sinclair/typebox";
import { closed, flag, number, objectName, whole } from "../schema/schema-vocabulary.ts";

const requirement = closed(
  {
    eval: objectName({
      description:
        "Name of an eval: in the workspace's `evals` folder, or on the platform one of the tenant.",
    }),
    min_score: number(0, 1, {
      description: "Lowest pass rate: the mean over cases of the share of repetitions that passed.",
      default: 1,
    }),
    no_regressions: flag({
      description:
        "Whether a version is refused if a case passes less often than half of the time, and did not with the version in service.",
      default: false,
    }),
  },
  { description: "An eval that a version must pass." },
);

const canary = closed(
  {
    percent: whole(1, 50, {
      description:
        "Share of sessions that the new version answers, in percent. A session stays with its version.",
      default: 10,
    }),
    min_runs: whole(20, 10_000, {
      description:
        "Finished runs of each version before the first verdict, and of the new version between two verdicts.",
      default: 50,
    }),
    min_minutes: whole(0, 43_200, {
      description: "Shortest time before the new version answers all sessions.",
      default: 60,
    }),
    return_when: closed(
      {
        error_rate_increase: number(0, 1, {
          description:
            "Highest accepted increase of the share of failed runs: 0.05 is five percentage points.",
          default: 0.05,
        }),
        score_decrease: number(0, 1, {
          description: "Highest accepted decrease of the share of positive feedback among rated runs.",
          default: 0.1,
        }),
        cost_increase: number(0, 10, {
          description: "Highest accepted increase of the mean cost of a run: 0.25 is 25 %.",
          default: 0.25,
        }),
      },
      { description: "Bounds beyond which the new version is taken out of service.", default: {} },
    ),
  },
  { description: "A new version answers a share of the sessions first." },
);

/** Conditions under which a changed version is taken into service. */
export const releaseSection = closed(
  {
    requires: Type.Array(requirement, {
      maxItems: 16,
      default: [],
      description:
        "Evals that a version must pass before it answers. The version in service stays until then.",
    }),
    canary: Type.Optional(canary),
  },
  { description: "The gate of new versions." },
);
