import { stringify } from "yaml";
import type {
  AgentInput,
  CloudAgent,
  GuardrailChoice,
  OrgAgentChange,
  WizardConfig,
} from "../../../contracts/cloud/agents.ts";
import type { ProblemBody } from "../../../contracts/error-body.ts";
import type { Path } from "../../../manifest/fault.ts";
import { valueAt } from "../../../manifest/value-at.ts";
import type { KeptKeys } from "../../builder/local-schema.ts";
import { isRecord } from "../../parts/is-record.ts";
import { orgManifestTexts as texts } from "../../texts/cloud/agents.ts";

/** The keys of a manifest that the cloud keeps. */
export const orgKeys: KeptKeys = {
  apiVersion: true,
  kind: true,
  metadata: { name: true },
  spec: {
    identity: { display_name: true, personality: true },
    model: {
      primary: { provider: true, model: true, parameters: { max_tokens: true } },
      fallback: { provider: true, model: true },
    },
    prompts: { system: true },
    tools: { "*": { name: true, type: true } },
    memory: {
      conversational: { strategy: true, max_turns: true },
      semantic: {},
      episodic: {},
    },
    guardrails: { input: true, output: true },
  },
};

type Stored = Pick<CloudAgent, "name" | "display_name"> & WizardConfig;

/** Returns the manifest of an agent as a text to edit. What is not set is left out, so that a comparison shows what differs. */
export function textOfAgent({ name, display_name, step1, step2, step3, step4, step5 }: Stored): string {
  const model = (joined: string | undefined, more = {}) =>
    joined === undefined ? undefined : { ...splitModel(joined), ...more };
  const maxTokens = step5?.max_tokens;
  const { memory_type: type, memory_strategy: strategy, window_size: window } = step4 ?? {};
  const tools = step3?.tools ?? [];
  const { input_guardrails: input = [], output_guardrails: output = [] } = step5 ?? {};
  const manifest = {
    apiVersion: "platform/v1",
    kind: "Agent",
    metadata: { name },
    spec: pruned({
      identity: { display_name, personality: step2?.persona },
      model: {
        primary: model(
          step1?.model,
          maxTokens === undefined ? {} : { parameters: { max_tokens: maxTokens } },
        ),
        fallback: model(step1?.fallback_model),
      },
      prompts: { system: step2?.system_prompt },
      tools: tools.length === 0 ? undefined : tools.map((tool) => ({ name: tool, type: "builtin" })),
      memory: {
        conversational: { strategy, max_turns: window },
        ...(type === "semantic" || type === "episodic" ? { [type]: kept } : {}),
      },
      guardrails: {
        input: input.length === 0 ? undefined : input.map(entryOf),
        output: output.length === 0 ? undefined : output.map(entryOf),
      },
    }),
  };
  return stringify(manifest, { lineWidth: 0 });
}

/** An empty mapping that means something. */
const kept = {};

/** Leaves out missing values, and mappings without any. */
function pruned(value: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, one]) => {
      if (one === undefined) return [];
      if (!isRecord(one) || one === kept) return [[key, one]];
      const inner = pruned(one);
      return Object.keys(inner).length === 0 ? [] : [[key, inner]];
    }),
  );
}

const entryOf = (choice: GuardrailChoice) => (typeof choice === "string" ? { type: choice } : choice);

const choiceOf = (entry: unknown): unknown =>
  isRecord(entry) && typeof entry.type === "string" && Object.keys(entry).length === 1 ? entry.type : entry;

/** Splits a model's name at its first slash, which ends the provider. */
function splitModel(name: string) {
  const at = name.indexOf("/");
  return at < 0
    ? { provider: "ollama", model: name }
    : { provider: name.slice(0, at), model: name.slice(at + 1) };
}

/** Returns what the cloud stores of a manifest. It judges the values. */
export function inputOfManifest(manifest: unknown): AgentInput {
  const at = (...path: Path) => valueAt(manifest, path);
  const list = (...path: Path) => {
    const found = at(...path);
    return Array.isArray(found) ? found : undefined;
  };
  const joined = (place: "primary" | "fallback") => {
    const { provider, model } = fieldsOf(at("spec", "model", place));
    return provider === undefined && model === undefined ? undefined : `${words(provider)}/${words(model)}`;
  };
  const further = (["semantic", "episodic"] as const).find(
    (kind) => at("spec", "memory", kind) !== undefined,
  );
  const steps = {
    step1: { model: joined("primary"), fallback_model: joined("fallback") },
    step2: {
      system_prompt: at("spec", "prompts", "system") || undefined,
      persona: at("spec", "identity", "personality") || undefined,
    },
    step3: { tools: list("spec", "tools")?.map((tool) => words(fieldsOf(tool).name)) },
    step4: {
      memory_type: further,
      memory_strategy: at("spec", "memory", "conversational", "strategy"),
      window_size: at("spec", "memory", "conversational", "max_turns"),
    },
    step5: {
      input_guardrails: list("spec", "guardrails", "input")?.map(choiceOf),
      output_guardrails: list("spec", "guardrails", "output")?.map(choiceOf),
      max_tokens: at("spec", "model", "primary", "parameters", "max_tokens"),
    },
  };
  const name = words(at("metadata", "name"));
  const shown = at("spec", "identity", "display_name");
  return {
    name,
    display_name: shown === undefined || shown === null || shown === "" ? name : words(shown),
    ...(pruned(steps) as WizardConfig),
  };
}

/** Returns the steps as a change of a stored agent: null removes what the manifest does not have. */
export function changeOfManifest(manifest: unknown): OrgAgentChange {
  const { display_name, ...config } = inputOfManifest(manifest);
  const steps = Object.fromEntries(
    Object.entries(keysOfSteps).map(([step, keys]) => {
      const values = fieldsOf(config[step as keyof WizardConfig]);
      return [step, Object.fromEntries(keys.map((key) => [key, values[key] ?? null]))];
    }),
  );
  return { display_name, ...steps };
}

const keysOfSteps = {
  step1: ["model", "fallback_model"],
  step2: ["system_prompt", "persona"],
  step3: ["tools"],
  step4: ["memory_type", "memory_strategy", "window_size"],
  step5: ["input_guardrails", "output_guardrails", "max_tokens"],
} as const;

/** Keys of a config and the places of a manifest where they are written, the most precise first. */
const places: readonly (readonly [from: RegExp, to: string])[] = [
  [/^name$/, "metadata.name"],
  [/^display_name$/, "spec.identity.display_name"],
  [/^step1\.model/, "spec.model.primary.model"],
  [/^step1\.fallback_model/, "spec.model.fallback.model"],
  [/^step2\.system_prompt/, "spec.prompts.system"],
  [/^step2\.persona/, "spec.identity.personality"],
  [/^step3\.tools(\[\d+\])/, "spec.tools$1.name"],
  [/^step3\.tools/, "spec.tools"],
  [/^step4\.memory_strategy/, "spec.memory.conversational.strategy"],
  [/^step4\.window_size/, "spec.memory.conversational.max_turns"],
  [/^step4\.memory_type/, "spec.memory"],
  [/^step5\.max_tokens/, "spec.model.primary.parameters.max_tokens"],
  [/^step5\.(input|output)_guardrails/, "spec.guardrails.$1"],
];

/** Returns the place of a manifest for a place of a config. */
export function placeOf(path: string): string {
  const place = places.find(([from]) => from.test(path));
  return place === undefined ? path : path.replace(...place);
}

/** Returns what a manifest has and the cloud does not keep, with its place. */
export function strangeProblems(manifest: unknown): ProblemBody[] {
  const found: ProblemBody[] = [];
  walk(manifest, orgKeys, "", found);
  const [semantic, episodic] = ["semantic", "episodic"].map((kind) =>
    valueAt(manifest, ["spec", "memory", kind]),
  );
  if (semantic !== undefined && episodic !== undefined)
    found.push({ path: "spec.memory", message: texts.oneMemory });
  for (const [index, tool] of toolsOf(manifest).entries()) {
    const { type } = fieldsOf(tool);
    if (type !== "builtin") found.push({ path: `spec.tools[${index}].type`, message: texts.builtinOnly });
  }
  return found;
}

const toolsOf = (manifest: unknown): readonly unknown[] => {
  const tools = valueAt(manifest, ["spec", "tools"]);
  return Array.isArray(tools) ? tools : [];
};

function walk(value: unknown, keys: KeptKeys, path: string, found: ProblemBody[]): void {
  if (Array.isArray(value)) {
    const inner = keys["*"];
    if (inner !== undefined && inner !== true)
      for (const [index, item] of value.entries()) walk(item, inner, `${path}[${index}]`, found);
    return;
  }
  if (!isRecord(value)) return;
  for (const [key, inner] of Object.entries(value)) {
    const below = path === "" ? key : `${path}.${key}`;
    const known = Object.hasOwn(keys, key) ? keys[key] : undefined;
    if (known === undefined) found.push({ path: below, message: texts.notKept });
    else if (known !== true) walk(inner, known, below, found);
  }
}

const fieldsOf = (value: unknown): Record<string, unknown> => (isRecord(value) ? value : {});

const words = (value: unknown): string => (value === undefined || value === null ? "" : String(value));
