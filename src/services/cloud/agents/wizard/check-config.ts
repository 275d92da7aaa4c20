import type { TSchema } from "@sinclair/typebox";
import {
  AgentInput,
  type GuardrailChoice,
  guardrailsMax,
  OrgAgentChange,
  toolsMax,
  WizardConfig,
} from "../../../../contracts/cloud/agents.ts";
import { validationProblems } from "../../../../http/errors/validation-problems.ts";
import { AppError, type Problem } from "../../../../kit/app-error.ts";
import {
  countSteps,
  isOthersTurn,
  stepsPerPiece,
  type Work,
} from "../../../../kit/concurrency/others-turn.ts";
import { fieldsOf } from "../../../../kit/json/is-record.ts";
import { schemaChecker } from "../../../../kit/json/schema-checker.ts";
import { didYouMean } from "../../../../kit/text/did-you-mean.ts";
import { modelFault } from "../../providers/model-name.ts";
import { guardrailProblems, type WizardStage } from "./guardrail-entries.ts";

/** Names that the runtime offers to tenants now. */
export interface ConfigNames {
  tools: readonly string[];
}

const shapes = {
  create: checkerOf(AgentInput),
  change: checkerOf(OrgAgentChange),
  config: checkerOf(WizardConfig),
};

/** Returns every fault of a new agent. */
export function* inputProblems(body: unknown, names: ConfigNames): Work<Problem[]> {
  return merged(yield* shapes.create(body), yield* valueProblems(body, names));
}

/** Returns the faults in the shape of a change; its values are checked in the merged config. */
export const changeProblems = (body: unknown): Work<Problem[]> => shapes.change(body);

/** Returns every fault of a config. */
export function* configProblems(config: unknown, names: ConfigNames): Work<Problem[]> {
  return merged(yield* shapes.config(config), yield* valueProblems(config, names));
}

/** Returns the values that are missing for a deployment. */
export function missingProblems({ step1, step2 }: WizardConfig): Problem[] {
  return [
    ...(step1?.model === undefined
      ? [{ path: "step1.model", message: "is required to deploy the agent" }]
      : []),
    ...(step2?.system_prompt === undefined
      ? [{ path: "step2.system_prompt", message: "is required to deploy the agent" }]
      : []),
  ];
}

/** Creates the error that tells every fault of a config. */
export function invalidConfig(problems: readonly Problem[]): AppError {
  const [first] = problems;
  const more = problems.length > 1 ? ` There are ${problems.length} faults; details has them all.` : "";
  const fault = first === undefined ? "" : `: ${first.path} ${first.message}`;
  return new AppError("invalid", "invalid_config", `The config is not valid${fault}.${more}`, {
    details: { problems: [...problems] },
  });
}

/** Finding the faults of a body of 1 MiB takes up to 30 ms and can't be divided, so each has a pass of the event loop of its own. */
function checkerOf(schema: TSchema): (value: unknown) => Work<Problem[]> {
  const checker = schemaChecker(schema);
  return function* (value) {
    if (checker.fits(value)) return [];
    if (isOthersTurn()) yield;
    const problems = validationProblems(checker.faultsOf(value), schema);
    countSteps(stepsPerPiece);
    return problems;
  };
}

/** A value whose shape is wrong already has a problem, so its other faults are not told. */
function merged(shape: readonly Problem[], values: readonly Problem[]): Problem[] {
  const paths = new Set(shape.map(({ path }) => path));
  return [...shape, ...values.filter(({ path }) => !paths.has(path))];
}

/** Faults that a schema can't tell. Values of a wrong shape are passed over. */
function* valueProblems(body: unknown, names: ConfigNames): Work<Problem[]> {
  const config = fieldsOf(body);
  const { model, fallback_model: fallback } = fieldsOf(config.step1);
  const { tools } = fieldsOf(config.step3);
  const { input_guardrails: input, output_guardrails: output } = fieldsOf(config.step5);
  return [
    ...modelProblems("step1.model", model),
    ...modelProblems("step1.fallback_model", fallback),
    ...toolProblems(listOf(tools, toolsMax), names.tools),
    ...(yield* stageProblems("input", listOf(input, guardrailsMax))),
    ...(yield* stageProblems("output", listOf(output, guardrailsMax))),
  ];
}

/** Returns the values of a config that the runtime can judge, as far as they have the right shape and no fault yet. */
export function readableParts(config: unknown, problems: readonly Problem[]): WizardConfig {
  const faulty = new Set(problems.map(({ path }) => choicePath.exec(path)?.[0]));
  const { step2, step5 } = fieldsOf(config);
  const { system_prompt: prompt } = fieldsOf(step2);
  const { input_guardrails: input, output_guardrails: output } = fieldsOf(step5);
  return {
    ...(typeof prompt === "string" && prompt !== "" ? { step2: { system_prompt: prompt } } : {}),
    step5: {
      input_guardrails: choicesOf("input", input, faulty),
      output_guardrails: choicesOf("output", output, faulty),
    },
  };
}

const choicePath = /^step5\.(?:in|out)put_guardrails\[\d+\]/;

/** A choice that is not to be judged becomes one without options, so that the others keep their places. */
const choicesOf = (
  stage: WizardStage,
  value: unknown,
  faulty: ReadonlySet<string | undefined>,
): GuardrailChoice[] =>
  listOf(value, guardrailsMax).map((choice, index) =>
    isChoice(choice) && !faulty.has(choiceAt(stage, index)) ? choice : "none",
  );

const choiceAt = (stage: WizardStage, index: number) => `step5.${stage}_guardrails[${index}]`;

function modelProblems(path: string, name: unknown): Problem[] {
  const message = typeof name === "string" ? modelFault(name) : undefined;
  return message === undefined ? [] : [{ path, message }];
}

function toolProblems(tools: readonly unknown[], known: readonly string[]): Problem[] {
  const seen = new Set<unknown>();
  return tools.flatMap((tool, index) => {
    if (typeof tool !== "string") return [];
    const path = `step3.tools[${index}]`;
    if (seen.size === seen.add(tool).size) return [{ path, message: `names ${tool} again` }];
    if (known.includes(tool)) return [];
    const nearest = didYouMean(tool, known);
    const mend = nearest === undefined ? "GET …/catalog lists the tools" : `did you mean ${nearest}?`;
    return [{ path, message: `names ${tool}, which is not a tool of the catalog; ${mend}` }];
  });
}

function* stageProblems(stage: WizardStage, choices: readonly unknown[]): Work<Problem[]> {
  const problems: Problem[] = [];
  for (const [index, choice] of choices.entries()) {
    if (isChoice(choice)) problems.push(...(yield* guardrailProblems(choice, stage, choiceAt(stage, index))));
  }
  return problems;
}

const isChoice = (value: unknown): value is GuardrailChoice =>
  typeof value === "string" || typeof fieldsOf(value).type === "string";

/** The items of a list. One that is longer than it may be is a fault of its own, and its further items are not looked at. */
const listOf = (value: unknown, most: number): readonly unknown[] =>
  Array.isArray(value) ? value.slice(0, most) : [];
