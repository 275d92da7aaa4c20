import { type OrgAgentChange, stepNames, type WizardConfig } from "../../../../contracts/cloud/agents.ts";
import { isRecord } from "../../../../kit/json/is-record.ts";

/**
 * Merges a change into a config key by key within each step. Null removes a key or a whole step. A step that is not an object changes nothing. The
 * result is not checked yet.
 */
export function mergeConfig(config: WizardConfig, change: OrgAgentChange): Record<string, unknown> {
  const merged: Record<string, unknown> = {};
  for (const name of stepNames) {
    const known = config[name];
    if (change[name] === null) continue;
    const sent = isRecord(change[name]) ? change[name] : undefined;
    const step = Object.entries({ ...known, ...sent }).filter(([, value]) => value !== null);
    if (known !== undefined || sent !== undefined) merged[name] = Object.fromEntries(step);
  }
  return merged;
}
