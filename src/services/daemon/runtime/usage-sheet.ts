import type { RuntimeUsage } from "../../../contracts/runtime/runs.ts";
import type { UsageRecord } from "../../../engine/spending/usage-record.ts";

/** Usage of one run, including the agents that worked for it, added up by model and role. */
export class UsageSheet {
  readonly #lines = new Map<string, RuntimeUsage>();

  add(records: readonly UsageRecord[]): void {
    for (const {
      provider,
      model,
      role = "main",
      inputTokens,
      outputTokens,
      cachedTokens,
      estimated,
    } of records) {
      const key = JSON.stringify([provider, model, role]);
      const line = this.#lines.get(key) ?? {
        provider,
        model,
        role,
        tokens_in: 0,
        tokens_out: 0,
        tokens_cached: 0,
        estimated: false,
      };
      line.tokens_in += inputTokens;
      line.tokens_out += outputTokens;
      line.tokens_cached += cachedTokens;
      line.estimated ||= estimated;
      this.#lines.set(key, line);
    }
  }

  lines(): RuntimeUsage[] {
    return [...this.#lines.values()];
  }
}
