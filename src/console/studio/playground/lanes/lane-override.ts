import type { RunOverride } from "../../../../contracts/daemon/runs/run-override.ts";
import {
  areReadable,
  enteredNumber,
  type NumberRules,
  readNumber,
} from "../../../parts/inputs/number-entry.ts";

/** A column's overrides of its agent, as its fields hold them; "" and undefined mean the agent's own value. */
export interface LaneSettings {
  /** `provider/model`, or a model of the agent's own provider. */
  model: string;
  temperature: string;
  maxTokens: string;
  systemPrompt?: string | undefined;
}

export const laneRules = {
  temperature: { decimals: 15, min: 0, max: 2 },
  maxTokens: { decimals: 0, min: 1, max: 1_000_000 },
} satisfies Record<string, NumberRules>;

/** Returns true if the number fields are valid; otherwise the column sends no question. */
export const hasReadableNumbers = ({ temperature, maxTokens }: LaneSettings): boolean =>
  areReadable([readNumber(temperature, laneRules.temperature), readNumber(maxTokens, laneRules.maxTokens)]);

/** Returns the override to send; undefined if nothing is changed. Throws for a text that is not a number. */
export function laneOverride({
  model,
  temperature,
  maxTokens,
  systemPrompt,
}: LaneSettings): RunOverride | undefined {
  const override: RunOverride = {
    ...modelOf(model.trim()),
    ...numberOf("temperature", temperature, laneRules.temperature),
    ...numberOf("max_tokens", maxTokens, laneRules.maxTokens),
    ...(systemPrompt === undefined ? {} : { system_prompt: systemPrompt }),
  };
  return Object.keys(override).length === 0 ? undefined : override;
}

/** Splits a name at its first slash, which ends the provider: model names may contain slashes. */
function modelOf(name: string): Pick<RunOverride, "provider" | "model"> {
  if (name === "") return {};
  const at = name.indexOf("/");
  if (at < 1 || at === name.length - 1) return { model: name };
  return { provider: name.slice(0, at), model: name.slice(at + 1) };
}

function numberOf(
  key: "temperature" | "max_tokens",
  written: string,
  rules: NumberRules,
): Partial<RunOverride> {
  const value = enteredNumber(readNumber(written, rules));
  return value === null ? {} : { [key]: value };
}

/**
 * Returns the system prompt of a manifest, and its primary model as `provider/model`; "" for what it does not have. The YAML parser is
 * loaded on first use.
 */
export async function readManifest(manifest: string): Promise<{ prompt: string; model: string }> {
  const { parseDocument } = await import("yaml");
  const document = parseDocument(manifest, { version: "1.2", schema: "core" });
  const textAt = (...path: string[]) => {
    const value = document.getIn(["spec", ...path]);
    return typeof value === "string" ? value : "";
  };
  const [provider, model] = [textAt("model", "primary", "provider"), textAt("model", "primary", "model")];
  return {
    prompt: textAt("prompts", "system"),
    model: provider === "" || model === "" ? "" : `${provider}/${model}`,
  };
}
