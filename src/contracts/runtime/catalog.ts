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
