import { type Static, Type } from "@sinclair/typebox";

/** Tools and settings that tenants' agents may currently declare. */
export const RuntimeCatalog = Type.Object({
  builtins: Type.Array(
    Type.Object({
      name: Type.String(),
      description: Type.String(),
      parameters: Type.Unknown({ description: "JSON Schema of the parameters." }),
      writes: Type.Boolean({ description: "True if the tool changes state outside the run." }),
    }),
  ),
  guardrails: Type.Array(
    Type.Object({
      name: Type.String(),
      description: Type.String(),
      stages: Type.Array(Type.Union([Type.Literal("input"), Type.Literal("output")])),
      options: Type.Unknown({
        description: "JSON Schema of its options, `action` and `on_error` among them.",
      }),
    }),
  ),
  providers: Type.Array(
    Type.Object({
      provider: Type.String(),
      models: Type.Array(Type.String(), {
        description: "Models with a known price; others may be named, too.",
      }),
    }),
  ),
  integrations: Type.Array(
    Type.Object({
      slug: Type.String(),
      description: Type.String(),
      actions: Type.Array(
        Type.Object({
          name: Type.String(),
          description: Type.String(),
          writes: Type.Boolean(),
          parameters: Type.Unknown(),
        }),
      ),
    }),
  ),
});
export type RuntimeCatalog = Static<typeof RuntimeCatalog>;
