import { type Static, Type } from "@sinclair/typebox";

/** Tools and settings that tenants' agents may currently declare. */
export const RuntimeCatalog = Type.Object({
  builtins: Type.Array(
    Type.Object({
      name: Type.String(),
      description: Type.String(),
      parameters: Type.Unknown({ description: "JSON Schema." }),
      writes: Type.Boolean({ description: "Whether it changes something outside of the run." }),
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
