import { Type } from "@sinclair/typebox";
import { closed, flag, number, objectName } from "../schema/schema-vocabulary.ts";

const requirement = closed(
  {
    eval: objectName({ description: "Name of an eval in the workspace's `evals` folder." }),
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

/** Conditions under which a changed version is taken into service. */
export const releaseSection = closed(
  {
    requires: Type.Array(requirement, {
      minItems: 1,
      maxItems: 16,
      description:
        "Evals that a version must pass before it answers. The version in service stays until then.",
    }),
  },
  { description: "The gate of new versions." },
);
