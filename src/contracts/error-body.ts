import { type Static, Type } from "@sinclair/typebox";

export const ProblemBody = Type.Object(
  {
    path: Type.String({ description: "Where in what was sent, dotted: `spec.tools[0].name`." }),
    message: Type.String({ description: "What is wrong there, in words." }),
    line: Type.Optional(Type.Integer({ minimum: 1 })),
    column: Type.Optional(Type.Integer({ minimum: 1 })),
  },
  { $id: "Problem" },
);
export type ProblemBody = Static<typeof ProblemBody>;

/** Error body of the daemon, the platform and the translator. */
export const ErrorBody = Type.Object(
  {
    error: Type.String({ description: "The code, for programs: `not_found`." }),
    message: Type.String({ description: "What went wrong, for people." }),
    hint: Type.Optional(Type.String({ description: "What can be done about it." })),
    problems: Type.Optional(Type.Array(ProblemBody)),
  },
  { $id: "Error", additionalProperties: true },
);
export type ErrorBody = Static<typeof ErrorBody>;
