import { type Static, Type } from "@sinclair/typebox";

const where = ["header", "body", "button"] as const;

export const TemplateList = Type.Object({
  templates: Type.Array(
    Type.Object({
      name: Type.String(),
      language: Type.String(),
      status: Type.String({ description: "The provider's word; only `APPROVED` ones are sent." }),
      category: Type.String(),
      params: Type.Array(
        Type.Object({
          in: Type.Unsafe<(typeof where)[number]>(Type.Union(where.map((name) => Type.Literal(name)))),
          name: Type.String({ description: "Name or position of a placeholder." }),
        }),
      ),
      preview: Type.String({ description: "What the user sees, with its placeholders." }),
      components: Type.Unsafe<object[]>(
        Type.Array(Type.Object({}, { additionalProperties: true }), {
          description: "As the provider describes it.",
        }),
      ),
    }),
  ),
});
export type TemplateList = Static<typeof TemplateList>;
