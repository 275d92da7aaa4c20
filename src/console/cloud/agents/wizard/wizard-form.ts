import type {
  AgentInput,
  CloudAgent,
  GuardrailChoice,
  WizardConfig,
} from "../../../../contracts/cloud/agents.ts";
import type { NumberEntry } from "../../../parts/inputs/number-entry.ts";
import { isRecord } from "../../../parts/is-record.ts";

export const stepKeys = ["step1", "step2", "step3", "step4", "step5"] as const;
export type StepKey = (typeof stepKeys)[number];

export type Stage = "input" | "output";

/** A chosen guardrail, with its options as typed. */
export interface GuardrailForm {
  type: string;
  options: string;
}

/** The wizard's values as typed. An empty text is a missing value. */
export interface WizardForm {
  displayName: string;
  name: string;
  provider: string;
  model: string;
  fallbackProvider: string;
  fallbackModel: string;
  prompt: string;
  persona: string;
  tools: readonly string[];
  memoryType: string;
  strategy: string;
  windowSize: NumberEntry;
  input: readonly GuardrailForm[];
  output: readonly GuardrailForm[];
  maxTokens: NumberEntry;
}

export const emptyForm: WizardForm = {
  displayName: "",
  name: "",
  provider: "",
  model: "",
  fallbackProvider: "",
  fallbackModel: "",
  prompt: "",
  persona: "",
  tools: [],
  memoryType: "conversational",
  strategy: "sliding_window",
  windowSize: 20,
  input: [],
  output: [],
  maxTokens: 1000,
};

/** Returns the form of a stored agent. */
export function formOf({ name, display_name, step1, step2, step3, step4, step5 }: CloudAgent): WizardForm {
  const [provider, model] = splitModel(step1?.model);
  const [fallbackProvider, fallbackModel] = splitModel(step1?.fallback_model);
  return {
    displayName: display_name,
    name,
    provider,
    model,
    fallbackProvider,
    fallbackModel,
    prompt: step2?.system_prompt ?? "",
    persona: step2?.persona ?? "",
    tools: step3?.tools ?? [],
    memoryType: step4?.memory_type ?? emptyForm.memoryType,
    strategy: step4?.memory_strategy ?? emptyForm.strategy,
    windowSize: step4?.window_size ?? emptyForm.windowSize,
    input: (step5?.input_guardrails ?? []).map(guardrailForm),
    output: (step5?.output_guardrails ?? []).map(guardrailForm),
    maxTokens: step5?.max_tokens ?? emptyForm.maxTokens,
  };
}

/** Returns what the form sends to the server, which judges it. Missing values are left out. */
export function inputOf(form: WizardForm): AgentInput {
  return {
    name: form.name,
    display_name: form.displayName,
    ...(Object.fromEntries(
      Object.entries(stepsOf(form)).map(([step, values]) => [step, withoutMissing(values)]),
    ) as WizardConfig),
  };
}

/** Returns the form as a change of a stored agent: null removes a value. */
export const changeOf = (form: WizardForm) => ({ display_name: form.displayName, ...stepsOf(form) });

/** The steps with null for missing values. */
function stepsOf(form: WizardForm): Record<StepKey, Record<string, unknown>> {
  return {
    step1: {
      model: joinedModel(form.provider, form.model),
      fallback_model: joinedModel(form.fallbackProvider, form.fallbackModel),
    },
    step2: { system_prompt: form.prompt || null, persona: form.persona || null },
    step3: { tools: form.tools.length === 0 ? null : form.tools },
    step4: {
      memory_type: form.memoryType,
      memory_strategy: form.strategy,
      window_size: numberOf(form.windowSize),
    },
    step5: {
      input_guardrails: form.input.length === 0 ? null : form.input.map(choiceOf),
      output_guardrails: form.output.length === 0 ? null : form.output.map(choiceOf),
      max_tokens: numberOf(form.maxTokens),
    },
  };
}

const withoutMissing = (values: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null));

/** The server's message about a text that is no number is better than leaving it out. */
const numberOf = (entry: NumberEntry): unknown =>
  entry === null || typeof entry === "number" ? entry : entry.text;

const joinedModel = (provider: string, model: string): string | null =>
  provider === "" && model === "" ? null : `${provider}/${model.trim()}`;

function splitModel(name = ""): [provider: string, model: string] {
  const at = name.indexOf("/");
  if (name === "") return ["", ""];
  return at < 0 ? ["ollama", name] : [name.slice(0, at), name.slice(at + 1)];
}

function guardrailForm(choice: GuardrailChoice): GuardrailForm {
  if (typeof choice === "string") return { type: choice, options: "" };
  const { type, ...options } = choice;
  return { type, options: Object.keys(options).length === 0 ? "" : JSON.stringify(options, null, 2) };
}

function choiceOf({ type, options }: GuardrailForm): GuardrailChoice {
  const read = readOptions(options);
  return read === undefined || Object.keys(read).length === 0 ? type : { ...read, type };
}

/** Returns the options of a guardrail; undefined if the text is no JSON object. */
export function readOptions(text: string): Record<string, unknown> | undefined {
  if (text.trim() === "") return {};
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Returns true if the form has a text that can't be sent at all. */
export const hasUnreadable = ({ input, output }: WizardForm): boolean =>
  [...input, ...output].some(({ options }) => readOptions(options) === undefined);

/** Suggests the name of an agent from its display name. */
export const suggestedName = (displayName: string): string =>
  displayName
    .normalize("NFKD")
    .replaceAll(/\p{M}+/gu, "")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .slice(0, 63)
    .replaceAll(/^-+|-+$/g, "");
