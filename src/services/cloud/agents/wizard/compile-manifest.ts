import type { WizardConfig } from "../../../../contracts/cloud/agents.ts";
import type { Problem } from "../../../../kit/app-error.ts";
import { splitModel } from "../../providers/model-name.ts";
import { guardrailEntry } from "./guardrail-entries.ts";

/** An agent as its manifest is compiled from it. */
export interface Compilable {
  name: string;
  displayName: string;
  config: WizardConfig;
}

const windowDefault = 20;
const maxTokensDefault = 1000;
/** Tokens of history for each message of the window, under the strategy `token_budget`. */
const tokensPerMessage = 200;

/** Compiles a config to the manifest of an agent. Values that are missing in a draft are left out. */
export function compileManifest({ name, displayName, config }: Compilable): Record<string, unknown> {
  const { step1 = {}, step2 = {}, step3 = {}, step4 = {}, step5 = {} } = config;
  const parameters = { max_tokens: step5.max_tokens ?? maxTokensDefault };
  const candidate = (model: string) => ({ ...splitModel(model), parameters });
  const { input_guardrails: input = [], output_guardrails: output = [] } = step5;
  return {
    apiVersion: "platform/v1",
    kind: "Agent",
    metadata: { name },
    spec: {
      identity: {
        display_name: displayName,
        ...(step2.persona === undefined ? {} : { personality: step2.persona }),
      },
      ...(step1.model === undefined
        ? {}
        : {
            model: {
              primary: candidate(step1.model),
              ...(step1.fallback_model === undefined ? {} : { fallback: candidate(step1.fallback_model) }),
            },
          }),
      ...(step2.system_prompt === undefined ? {} : { prompts: { system: step2.system_prompt } }),
      orchestration: { pattern: "react", max_iterations: 5, timeout_seconds: 30 },
      tools: (step3.tools ?? []).map((tool) => ({ name: tool, type: "builtin" })),
      memory: memoryOf(step4),
      guardrails: { input: input.map(guardrailEntry), output: output.map(guardrailEntry) },
    },
  };
}

function memoryOf({
  memory_type: type = "conversational",
  memory_strategy: strategy = "sliding_window",
  window_size: window = windowDefault,
}: NonNullable<WizardConfig["step4"]>) {
  const size =
    strategy === "token_budget" ? { token_budget: tokensPerMessage * window } : { max_turns: window };
  return {
    conversational: { strategy, ...size },
    ...(type === "conversational" ? {} : { [type]: {} }),
  };
}

/** Places of a manifest and the keys of a config that they come from, the most precise first. */
const origins: readonly (readonly [from: RegExp, to: string])[] = [
  [/^spec\.model\.\w+\.parameters\.max_tokens/, "step5.max_tokens"],
  [/^spec\.model\.fallback\b.*/, "step1.fallback_model"],
  [/^spec\.model\b.*/, "step1.model"],
  [/^spec\.prompts\.system/, "step2.system_prompt"],
  [/^spec\.identity\.personality/, "step2.persona"],
  [/^spec\.identity\.display_name/, "display_name"],
  [/^spec\.tools/, "step3.tools"],
  [/^spec\.memory\.conversational\.strategy/, "step4.memory_strategy"],
  [/^spec\.memory\.conversational\.(max_turns|token_budget)/, "step4.window_size"],
  [/^spec\.memory\b.*/, "step4.memory_type"],
  [/^spec\.guardrails\.(input|output)/, "step5.$1_guardrails"],
];

/** Tells a problem of a compiled manifest by the config's own key. */
export function configProblem({ path, message }: Problem): Problem {
  const origin = origins.find(([from]) => from.test(path));
  return { path: origin === undefined ? path : path.replace(...origin), message };
}

/** Providers of the models of a config. */
export function providersOf({ step1 = {} }: WizardConfig): string[] {
  const named = [step1.model, step1.fallback_model].filter((model) => model !== undefined);
  return [...new Set(named.map((model) => splitModel(model).provider))];
}
