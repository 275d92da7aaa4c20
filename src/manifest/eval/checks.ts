import { type Static, type TOptional, Type } from "@sinclair/typebox";
import {
  closed,
  list,
  name,
  number,
  oneOf,
  openObject,
  text,
  toolName,
  whole,
} from "../schema/schema-vocabulary.ts";

const toolsMax = 64;

const callFields = {
  tool: toolName({ description: "Name of the tool." }),
  arguments: Type.Optional(
    openObject({ description: "Arguments that the call must have, among others; values must be equal." }),
  ),
  arguments_schema: Type.Optional(
    openObject({ description: "JSON Schema that the arguments of the call must match." }),
  ),
};

const expectedCall = closed(callFields, { description: "A call of a tool." });

const toolNames = (description: string) =>
  list(toolName({ description: "Name of the tool." }), toolsMax, { description });

const judgeModel = text(320, { description: "The judge's `provider/model`; absent: that of `spec.judge`." });

/** Check kinds by key. An entry of `checks` has exactly one of them. */
const kinds = {
  contains: text(8192, { description: "Text that the answer must contain; capitals don't count." }),
  not_contains: text(8192, { description: "Text that the answer must not contain; capitals don't count." }),
  equals: text(65_536, {
    description: "The whole answer, without white space at its ends; capitals don't count.",
  }),
  regex: text(1000, {
    description:
      "Pattern that must match somewhere in the answer. It is matched in linear time, so look-around and back references are not available.",
  }),
  not_regex: text(1000, { description: "Pattern that must match nowhere in the answer." }),
  json_path: closed(
    {
      path: text(1024, {
        description:
          "Place in the answer's JSON, such as `$.items[0].name` or `$.items[*].price`; with `*`, one value has to fit.",
      }),
      equals: Type.Optional(Type.Unknown({ description: "Value that must be there." })),
      contains: Type.Optional(text(8192, { description: "Text that the value there must contain." })),
    },
    { description: "A value in the answer's JSON. Without `equals` and `contains`, the place must exist." },
  ),
  json_schema: openObject({ description: "JSON Schema that the answer's JSON must match." }),
  tool_called: closed(
    {
      ...callFields,
      times: Type.Optional(
        whole(0, 1000, { description: "Exact number of such calls; absent: at least one." }),
      ),
    },
    { description: "A call that must have been made." },
  ),
  tool_order: toolNames("Tools that must be called in this order; others may be called between them."),
  forbidden_tools: toolNames("Tools that must not be called."),
  max_steps: whole(1, 10_000, { description: "Largest number of model calls of the pattern." }),
  trajectory: closed(
    {
      calls: list(expectedCall, toolsMax, { description: "Calls that are expected.", default: [] }),
      order: oneOf(["in_order", "exact", "any_order"], {
        description:
          "`exact`: these calls in this order and no others; `in_order`: others may be between them; `any_order`: each of them, in any order.",
        default: "in_order",
      }),
      forbidden: Type.Optional(toolNames("Tools that must not be called.")),
      max_steps: Type.Optional(whole(1, 10_000, { description: "Largest number of model calls." })),
    },
    { description: "The way to the answer as one block: calls, their order, forbidden tools and steps." },
  ),
  guardrail: oneOf(["passed", "blocked", "input_redacted", "output_filtered"], {
    description:
      "Outcome of the guardrails. `passed`: they blocked and changed nothing; `input_redacted`: personal data was masked in the query.",
  }),
  error: text(128, { description: "Code of the error with which the run must fail." }),
  max_cost_usd: number(0, 1000, {
    description: "Highest cost in US dollars. Fails if the price of the model is unknown.",
  }),
  max_tokens: whole(1, 100_000_000, { description: "Largest number of tokens, input and output." }),
  max_latency_ms: whole(1, 86_400_000, {
    description: "Longest time in milliseconds. Informative: it is shown and never fails a case.",
  }),
  retrieved: closed(
    {
      document: text(1024, { description: "Id of a document whose passages must be in the prompt." }),
      within: whole(1, 1000, { description: "Highest rank that counts; 1 is the best passage.", default: 5 }),
    },
    { description: "A document that retrieval must find, for agents with `knowledge`." },
  ),
  similar: closed(
    {
      to: Type.Optional(text(65_536, { description: "Text to compare with; absent: `expected`." })),
      min: number(0, 1, { description: "Lowest cosine similarity.", default: 0.8 }),
      embedder: Type.Optional(
        text(255, { description: "`local_hash` or `<embedder>/<model>`; absent: that of the eval." }),
      ),
    },
    { description: "Similarity of the answer to a text, by an embedder." },
  ),
  judge: closed(
    {
      rubric: text(16_384, { description: "When an answer is good, in plain words for the judge." }),
      min_score: number(0, 1, { description: "Lowest score that passes.", default: 0.7 }),
      votes: Type.Optional(
        whole(1, 9, {
          description: "Number of times the judge is asked; the majority decides. Absent: that of the eval.",
        }),
      ),
      model: Type.Optional(judgeModel),
    },
    { description: "The verdict of a model on the answer." },
  ),
} as const;

/** The check of an entry, by its key. */
export type CheckKind = keyof typeof kinds;

export const checkKinds = Object.keys(kinds) as readonly CheckKind[];

type OptionalKinds = { [Kind in CheckKind]: TOptional<(typeof kinds)[Kind]> };

const optionalKinds = Object.fromEntries(
  Object.entries(kinds).map(([kind, schema]) => [kind, Type.Optional(schema)]),
) as OptionalKinds;

export const checkSchema = closed(
  {
    ...optionalKinds,
    name: Type.Optional(name({ description: "Name of the check in reports; absent: its kind." })),
  },
  { description: "One check: exactly one of these keys, and a `name` if wanted." },
);

export type CheckEntry = Static<typeof checkSchema>;

/**
 * Returns true if some answer fails the check. Checks for information, and those that ask for nothing, such as an empty list of tools, accept
 * every answer.
 */
export function canFail(entry: CheckEntry): boolean {
  const [kind] = kindsOf(entry);
  const { tool_order: order, forbidden_tools: forbidden, trajectory, similar, judge } = entry;
  switch (kind) {
    case undefined:
    case "max_latency_ms":
      return false;
    case "tool_order":
      return order?.length !== 0;
    case "forbidden_tools":
      return forbidden?.length !== 0;
    case "trajectory":
      return (
        trajectory?.order === "exact" ||
        trajectory?.calls?.length !== 0 ||
        trajectory.max_steps !== undefined ||
        (trajectory.forbidden?.length ?? 0) > 0
      );
    case "similar":
      return similar?.min !== 0;
    case "judge":
      return judge?.min_score !== 0;
    default:
      return true;
  }
}

/** Returns the kinds that an entry names: exactly one if it is valid. */
export function kindsOf(entry: CheckEntry): CheckKind[] {
  return checkKinds.filter((kind) => Object.hasOwn(entry, kind));
}
