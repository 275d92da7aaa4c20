import { type Static, Type } from "@sinclair/typebox";

/** Error body of the managed cloud. */
export const CloudErrorBody = Type.Object(
  {
    error: Type.String({ description: "A code, such as `agent_not_deployed`." }),
    message: Type.String(),
    status: Type.Integer({ description: "The HTTP status." }),
    details: Type.Optional(
      Type.Array(Type.Object({ path: Type.String(), message: Type.String() }), {
        description: "One entry for each fault of the request.",
      }),
    ),
  },
  { additionalProperties: true },
);
export type CloudErrorBody = Static<typeof CloudErrorBody>;
