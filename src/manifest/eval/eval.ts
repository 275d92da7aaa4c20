import { type Static, Type } from "@sinclair/typebox";
import type { Path } from "../fault.ts";
import type { ManifestKind, ManifestReport } from "../schema/manifest-kind.ts";
import {
  closed,
  list,
  name,
  number,
  objectName,
  oneOf,
  openObject,
  text,
  toolName,
  whole,
} from "../schema/schema-vocabulary.ts";
import { type CheckEntry, canFail, checkSchema, kindsOf } from "./checks.ts";

/** Longest query of a case, as in the API. */
const queryCharsMax = 256 * 1024;
export const casesMax = 20_000;
const checksMax = 64;
const turnsMax = 50;

const checks = (description: string) => list(checkSchema, checksMax, { description, default: [] });

const stubSchema = closed(
  {
    tool: toolName({ description: "Name of the tool." }),
    input: Type.Optional(
      openObject({
        description: "Arguments that a call must have, among others; absent: any call of the tool.",
      }),
    ),
    output: Type.Optional(Type.Unknown({ description: "Data of the result." })),
    error: Type.Optional(text(4096, { description: "Message of a failed result, in place of `output`." })),
  },
  { description: "A prepared result of a tool." },
);

const stubs = (description: string) => list(stubSchema, 128, { description, default: [] });

const query = (description: string) => text(queryCharsMax, { description });
const context = () => openObject({ description: "Values for the agent's prompt templates." });

const turnSchema = closed(
  {
    query: query("Message from the user."),
    context: Type.Optional(context()),
    checks: checks("Checks of this turn's answer."),
  },
  { description: "One message of a conversation and the checks of its answer." },
);

/** One case, in an eval file or a line of a dataset. */
export const caseSchema = closed(
  {
    id: Type.Optional(
      Type.String({
        pattern: "^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$",
        expects: "1 to 100 letters, digits, `.`, `_` and `-` that start with a letter or digit",
        description: "Name of the case, by which runs are compared; absent: `case-` and its number.",
      }),
    ),
    query: Type.Optional(query("Message from the user; this or `turns`.")),
    turns: Type.Optional(
      Type.Array(turnSchema, {
        minItems: 1,
        maxItems: turnsMax,
        description: "Messages of one conversation, in order.",
      }),
    ),
    context: Type.Optional(context()),
    expected: Type.Optional(
      text(65_536, { description: "A good answer. `similar` and judges compare with it, reports show it." }),
    ),
    answer: Type.Optional(
      text(65_536, {
        description:
          "A fixed answer: the agent is not run, and the checks look at this. For judging a judge.",
      }),
    ),
    label: Type.Optional(
      oneOf(["pass", "fail"], {
        description: "A person's verdict on the answer; reports show how often judges agree.",
      }),
    ),
    tags: list(name({ description: "A tag." }), 16, { description: "Tags to select cases by.", default: [] }),
    stubs: stubs("Prepared results of tools for this case; they come before those of the eval."),
    checks: checks(
      "Checks of the last answer. Calls, steps, tokens and cost count over all turns. Those of the eval come before them.",
    ),
  },
  { description: "One question, or one conversation, and what is expected of it." },
);

const variantSchema = closed(
  {
    name: name({ description: "Name of the variant in reports." }),
    prompt: text(1024, {
      description: "File with the template that replaces `spec.prompts.system`, relative to this file.",
    }),
  },
  { description: "Another system prompt to compare with." },
);

const modelName = (description: string) =>
  Type.String({
    pattern: "^[^/]{1,63}/.{1,255}$",
    expects: "a provider and its model, such as openai/gpt-5",
    description,
  });

/** The schema of `kind: Eval`. */
export const evalSchema = closed(
  {
    apiVersion: Type.Literal("platform/v1", { description: "The version of this format." }),
    kind: Type.Literal("Eval", { description: "What the document describes." }),
    metadata: closed(
      { name: objectName({ description: "The eval's name; unique in the workspace." }) },
      { description: "Who the eval is to the system." },
    ),
    spec: closed(
      {
        description: Type.Optional(text(4096, { description: "For people." })),
        agent: objectName({ description: "The agent that is asked." }),
        models: list(modelName("A `provider/model`."), 16, {
          description: "Models to compare; absent: the agent's own.",
          default: [],
        }),
        variants: list(variantSchema, 16, {
          description: "System prompts to compare with the agent's own.",
          default: [],
        }),
        repeat: whole(1, 100, { description: "Number of times each case runs.", default: 1 }),
        concurrency: whole(1, 64, { description: "Number of cases at the same time.", default: 4 }),
        budget_usd: Type.Optional(
          number(0, 100_000, {
            description:
              "Most that a run may spend, judges included. When it is used up, no further case starts.",
          }),
        ),
        judge: closed(
          {
            model: Type.Optional(modelName("The `provider/model` of checks with `judge`.")),
            votes: whole(1, 9, { description: "Number of times the judge is asked.", default: 1 }),
          },
          { description: "Defaults of `judge` checks.", default: {} },
        ),
        embedder: text(255, {
          description: "Embedder of `similar` checks: `local_hash` or `<embedder>/<model>`.",
          default: "local_hash",
        }),
        tools: closed(
          {
            others: oneOf(["refuse", "execute"], {
              description:
                "Calls that no stub fits: `refuse` fails them and the case, `execute` carries them out for real.",
              default: "refuse",
            }),
            stubs: stubs(
              "Prepared results of tools for every case. The first that fits a call is its result.",
            ),
          },
          { description: "Where the results of tools come from.", default: {} },
        ),
        checks: checks("Checks of every case."),
        cases: Type.Union(
          [
            text(1024, {
              description: "File with the cases, `.jsonl` or `.csv`, relative to this file.",
            }),
            Type.Array(caseSchema, { minItems: 1, maxItems: casesMax, description: "The cases." }),
          ],
          { description: "The cases, or the `.jsonl` or `.csv` file that has them." },
        ),
      },
      { description: "Cases, checks and how to run them." },
    ),
  },
  { title: "Eval", description: "Cases for an agent and checks of its answers. `argosy eval` runs them." },
);

export type EvalManifest = Static<typeof evalSchema>;
export type EvalSpec = EvalManifest["spec"];
export type EvalCase = Static<typeof caseSchema>;
export type EvalStub = Static<typeof stubSchema>;

export const evalKind: ManifestKind<EvalManifest> = {
  id: "eval",
  schema: evalSchema,
  rules({ spec }, report) {
    reportChecks(spec.checks, ["spec", "checks"], report);
    reportStubs(spec.tools.stubs, ["spec", "tools", "stubs"], report);
    reportRepeated(
      spec.variants.map(({ name }) => name),
      (index) => ["spec", "variants", index, "name"],
      report,
    );
    if (typeof spec.cases === "string") {
      if (!/\.(jsonl|csv)$/.test(spec.cases)) report(["spec", "cases"], "must be a .jsonl or .csv file");
      return;
    }
    const ids = idsOf(spec.cases);
    for (const [index, one] of spec.cases.entries())
      reportCase(one, { id: ids[index] ?? "", shared: spec.checks }, ["spec", "cases", index], report);
    reportRepeated(ids, (index) => ["spec", "cases", index, "id"], report);
  },
};

/** Returns the ids of cases in order; a case without one is numbered. */
export function idsOf(cases: readonly Pick<EvalCase, "id">[]): string[] {
  return cases.map(({ id }, index) => id ?? `case-${index + 1}`);
}

/** What a case must know of its eval: the id that it has there, and the checks of every case. */
export interface CaseSurroundings {
  id: string;
  shared: readonly CheckEntry[];
}

/** The checks of a case. */
export interface CheckedCase {
  checks: readonly CheckEntry[];
  turns?: readonly { checks: readonly CheckEntry[] }[] | undefined;
}

/** Returns true if some answer fails the case by one of its checks, or one of the eval's. */
export const hasCheck = ({ checks, turns = [] }: CheckedCase, shared: readonly CheckEntry[]): boolean =>
  [shared, checks, ...turns.map((turn) => turn.checks)].some((entries) => entries.some(canFail));

/** Reports contradictions inside a case, such as both `query` and `turns`, and a case that every answer passes. */
export function reportCase(
  one: EvalCase,
  { id, shared }: CaseSurroundings,
  at: Path,
  report: ManifestReport,
): void {
  if ((one.query === undefined) === (one.turns === undefined))
    report(at, "must have either `query` or `turns`");
  if (one.answer !== undefined && one.turns !== undefined)
    report([...at, "answer"], "needs `query`; a conversation has no fixed answer");
  reportStubs(one.stubs, [...at, "stubs"], report);
  reportChecks(one.checks, [...at, "checks"], report);
  for (const [index, turn] of (one.turns ?? []).entries())
    reportChecks(turn.checks, [...at, "turns", index, "checks"], report);
  if (!hasCheck(one, shared))
    report(at, `has no check that an answer can fail, so the case ${JSON.stringify(id)} would always pass`);
}

function reportChecks(entries: readonly CheckEntry[], at: Path, report: ManifestReport): void {
  for (const [index, entry] of entries.entries()) {
    const kinds = kindsOf(entry);
    if (kinds.length === 1) continue;
    const has = kinds.length === 0 ? "none" : kinds.map((kind) => `\`${kind}\``).join(" and ");
    report([...at, index], `must have exactly one check, such as \`contains\`; it has ${has}`);
  }
}

function reportStubs(given: readonly EvalStub[], at: Path, report: ManifestReport): void {
  for (const [index, stub] of given.entries()) {
    if ((stub.output === undefined) === (stub.error === undefined))
      report([...at, index], "must have either `output` or `error`");
  }
}

function reportRepeated(names: readonly string[], at: (index: number) => Path, report: ManifestReport): void {
  const first = new Map<string, number>();
  for (const [index, named] of names.entries()) {
    const earlier = first.get(named);
    if (earlier === undefined) first.set(named, index);
    else report(at(index), `repeats ${JSON.stringify(named)} of entry ${earlier + 1}`);
  }
}
