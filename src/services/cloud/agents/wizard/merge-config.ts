import { type AgentChange, stepNames, type WizardConfig } from "../../../../contracts/cloud/agents.ts";

/** Merges a change into a config key by key within each step. Null removes a key or a whole step. The result is not checked yet. */
export function mergeConfig(config: WizardConfig, change: AgentChange): Record<string, unknown> {
  const merged: Record<string, unknown> = {};
  for (const name of stepNames) {
    const [known, sent] = [config[name], change[name]];
    if (sent === null) continue;
    const step = Object.entries({ ...known, ...sent }).filter(([, value]) => value !== null);
    if (known !== undefined || sent !== undefined) merged[name] = Object.fromEntries(step);
  }
  return merged;
}
