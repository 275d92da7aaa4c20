import type { LateTokens } from "../../../contracts/runtime/runs.ts";
import type { UsageRecord } from "../../../engine/spending/usage-record.ts";
import { LatestMap } from "../../../kit/latest-map.ts";
import { dayOf } from "../../../kit/utc-calendar.ts";

/** Agents, models and days with late tokens that are kept at a time. Those of the oldest are dropped first. */
const rowsMax = 10_000;

/**
 * Tokens that runs used after their last frame: by the summaries of their conversations, or by model calls that were cut off. They are kept
 * until the control plane that asked for them takes them.
 */
export class LateUsage {
  #rows = new LatestMap<string, Required<LateTokens>>(rowsMax);

  add(
    tenant: string,
    { agent, at, provider, model, inputTokens, outputTokens, costMicros }: UsageRecord,
  ): void {
    const day = dayOf(at);
    const key = JSON.stringify([tenant, agent, day, provider, model]);
    const none = { tokens: 0, cost_micros: 0, unpriced_tokens: 0 };
    const row = this.#rows.get(key) ?? { tenant_id: tenant, agent, day, provider, model, ...none };
    const tokens = inputTokens + outputTokens;
    row.tokens += tokens;
    row.cost_micros += costMicros ?? 0;
    row.unpriced_tokens += costMicros === null ? tokens : 0;
    this.#rows.set(key, row);
  }

  /** Returns the tokens since the last call, and forgets them. */
  take(): LateTokens[] {
    const rows = [...this.#rows.values()];
    this.#rows.clear();
    return rows;
  }
}
