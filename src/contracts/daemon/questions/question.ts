import { type Static, Type } from "@sinclair/typebox";

/** Formats of a text that a form may require. */
const FieldFormat = Type.Union([
  Type.Literal("email"),
  Type.Literal("uri"),
  Type.Literal("date"),
  Type.Literal("date-time"),
]);
export type FieldFormat = Static<typeof FieldFormat>;

export const FieldValue = Type.Union([
  Type.String(),
  Type.Number(),
  Type.Boolean(),
  Type.Array(Type.String()),
]);
export type FieldValue = Static<typeof FieldValue>;

/** A value that the person enters (MCP 2026-07-28, "Elicitation"). */
export const QuestionField = Type.Object({
  name: Type.String({ description: "Key of the value in the answer." }),
  type: Type.Union(
    [
      Type.Literal("string"),
      Type.Literal("number"),
      Type.Literal("integer"),
      Type.Literal("boolean"),
      Type.Literal("choice"),
      Type.Literal("choices"),
    ],
    { description: "`choice`: one of `options`; `choices`: a list of them." },
  ),
  required: Type.Boolean(),
  title: Type.Optional(Type.String()),
  description: Type.Optional(Type.String()),
  format: Type.Optional(FieldFormat),
  min: Type.Optional(
    Type.Number({ description: "Smallest number, fewest characters, or fewest options that are chosen." }),
  ),
  max: Type.Optional(
    Type.Number({ description: "Largest number, most characters, or most options that are chosen." }),
  ),
  options: Type.Optional(
    Type.Array(Type.Object({ value: Type.String(), title: Type.Optional(Type.String()) })),
  ),
  default: Type.Optional(FieldValue),
});
export type QuestionField = Static<typeof QuestionField>;

/** What a tool's server asks a person before it goes on with a call. */
export const Question = Type.Object(
  {
    server: Type.String({ description: "Name of the MCP server in the agent." }),
    message: Type.String({ description: "The server's question. It is text from outside." }),
    fields: Type.Optional(
      Type.Array(QuestionField, {
        description: "Values to enter, for a question with a form; may be empty.",
      }),
    ),
    url: Type.Optional(
      Type.String({
        description: "Address to open in a browser, for a question without a form. Argosy never opens it.",
      }),
    ),
    warning: Type.Optional(
      Type.String({
        description: "Why the person should be careful, for example because the form asks for a password.",
      }),
    ),
  },
  {
    description:
      "Question of the tool's MCP server. `approve` with `answer` accepts it, `reject` declines it, `reject` with `cancel` dismisses it.",
  },
);
export type Question = Static<typeof Question>;

/** Values of a form by field, of an accepted question. */
export const Answer = Type.Record(Type.String({ maxLength: 64 }), FieldValue, {
  maxProperties: 32,
  description: "To approve a question with a form: the values of its fields by name.",
});
export type Answer = Static<typeof Answer>;
