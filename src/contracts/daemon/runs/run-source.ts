import { type Static, Type } from "@sinclair/typebox";

export const RunSource = Type.Union(
  [Type.Literal("production"), Type.Literal("trigger"), Type.Literal("playground"), Type.Literal("eval")],
  {
    description:
      "Why the run was started: `production`, `trigger`, `playground` for a trial by a person, or `eval`. Runs of earlier versions count as `production`.",
  },
);

/** What a caller may say of its run. Only triggers start runs of `trigger`. */
export const DeclaredSource = Type.Union(
  [Type.Literal("production"), Type.Literal("playground"), Type.Literal("eval")],
  {
    description:
      "Why the run is started: `playground` for a trial by a person, `eval` for a test. Statistics leave both out by default. Default: `production`.",
  },
);
export type DeclaredSource = Static<typeof DeclaredSource>;

/** Query parameter that filters runs by their source. */
export const sourceParameter = (usual: "traffic" | "all") =>
  Type.Optional(
    Type.Union(
      [
        Type.Literal("traffic"),
        Type.Literal("all"),
        Type.Literal("production"),
        Type.Literal("trigger"),
        Type.Literal("playground"),
        Type.Literal("eval"),
      ],
      {
        description: `Counts only runs with this source. \`traffic\`: \`production\` and \`trigger\`; \`all\`: every run. Default: \`${usual}\`.`,
      },
    ),
  );
