import { type Static, Type } from "@sinclair/typebox";

export const ProblemBody = Type.Object(
  {
    path: Type.String({
      description: "Path of the invalid value in the request, such as `spec.tools[0].name`.",
    }),
    message: Type.String({ description: "Description of the problem." }),
    line: Type.Optional(Type.Integer({ minimum: 1 })),
    column: Type.Optional(Type.Integer({ minimum: 1 })),
  },
  { $id: "Problem" },
);
export type ProblemBody = Static<typeof ProblemBody>;

/** Part of an error for the owner of the installation. */
export const UpstreamDetails = Type.Object(
  {
    provider_message: Type.Optional(
      Type.String({
        maxLength: 500,
        description: "What the provider said, with secrets masked. Not sent to tenants and strangers.",
      }),
    ),
  },
  { additionalProperties: true },
);

/** Error body of the daemon, the platform and the translator. */
export const ErrorBody = Type.Object(
  {
    error: Type.String({ description: "Machine-readable error code, such as `not_found`." }),
    message: Type.String({ description: "Human-readable error message." }),
    hint: Type.Optional(Type.String({ description: "Suggested fix." })),
    problems: Type.Optional(Type.Array(ProblemBody)),
    trace_id: Type.Optional(Type.String({ description: "Trace id, if a run failed." })),
    details: Type.Optional(UpstreamDetails),
  },
  { $id: "Error", additionalProperties: true },
);
export type ErrorBody = Static<typeof ErrorBody>;
