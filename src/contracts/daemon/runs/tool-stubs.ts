import { type Static, Type } from "@sinclair/typebox";

/** Maximum number of prepared results of one run. */
export const toolStubsMax = 256;

export const ToolStub = Type.Object(
  {
    tool: Type.String({ minLength: 1, maxLength: 64, description: "Name of the tool." }),
    input: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description: "Arguments that a call must have, among others. Absent: every call of the tool.",
      }),
    ),
    output: Type.Optional(Type.Unknown({ description: "Data of the result." })),
    error: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 4096,
        description: "Message of a failed result, in place of `output`.",
      }),
    ),
  },
  { additionalProperties: false, description: "Prepared result of a tool." },
);
export type ToolStub = Static<typeof ToolStub>;

/** Results that replace the work of tools in one run; see `RunRequest`. */
export const ToolStubs = Type.Object(
  {
    stubs: Type.Array(ToolStub, {
      maxItems: toolStubsMax,
      description: "Prepared results. The first that fits a call is its result.",
    }),
    others: Type.Optional(
      Type.Union([Type.Literal("refuse"), Type.Literal("execute")], {
        description:
          "Other calls: `refuse` (default) fails them, `execute` carries them out. Tools that run agents always run, with the same stubs.",
      }),
    ),
  },
  {
    additionalProperties: false,
    description:
      "Prepared results for the tools of this run and of the agents that it calls. Stubbed calls have no effects and need no approval, and the run never pauses.",
  },
);
export type ToolStubs = Static<typeof ToolStubs>;

/** Begins the error of a call that was refused because no stub fits it. */
export const refusedCallPrefix = "No stub fits this call of ";
