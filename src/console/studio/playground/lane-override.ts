import type { RunOverride } from "../../../contracts/daemon/run-override.ts";

/** What a column changes of its agent, as its fields hold it; "" and undefined: the agent's own. */
export interface LaneSettings {
  /** `provider/model`, or a model of the agent's own provider. */
  model: string;
  temperature: string;
  maxTokens: string;
  systemPrompt?: string | undefined;
}

/** What to send of it; undefined when the agent stays as it is. */
export function laneOverride({
  model,
  temperature,
  maxTokens,
  systemPrompt,
}: LaneSettings): RunOverride | undefined {
  const override: RunOverride = {
    ...modelOf(model.trim()),
    ...numberOf("temperature", temperature),
    ...numberOf("max_tokens", maxTokens),
    ...(systemPrompt === undefined ? {} : { system_prompt: systemPrompt }),
  };
  return Object.keys(override).length === 0 ? undefined : override;
}

/** Model names have slashes of their own: the first one ends the provider. */
function modelOf(name: string): Pick<RunOverride, "provider" | "model"> {
  if (name === "") return {};
  const at = name.indexOf("/");
  if (at < 1 || at === name.length - 1) return { model: name };
  return { provider: name.slice(0, at), model: name.slice(at + 1) };
}

function numberOf(key: "temperature" | "max_tokens", written: string): Partial<RunOverride> {
  const value = Number(written);
  return written.trim() === "" || !Number.isFinite(value) ? {} : { [key]: value };
}
