import type { MetricsSnapshot } from "../../../contracts/daemon/metrics.ts";

interface Summary {
  count: number;
  sum: number;
  min: number;
  max: number;
}

/** Counters and summaries for `/v1/metrics`. They are lost on restart and cleared by a reset. */
export class RestMetrics {
  readonly #counters = new Map<string, number>();
  readonly #summaries = new Map<string, Summary>();

  count(name: string, by = 1): void {
    this.#counters.set(name, (this.#counters.get(name) ?? 0) + by);
  }

  observe(name: string, value: number): void {
    const summary = this.#summaries.get(name);
    if (summary === undefined) {
      this.#summaries.set(name, { count: 1, sum: value, min: value, max: value });
      return;
    }
    summary.count++;
    summary.sum += value;
    if (value < summary.min) summary.min = value;
    if (value > summary.max) summary.max = value;
  }

  reset(): void {
    this.#counters.clear();
    this.#summaries.clear();
  }

  snapshot(): MetricsSnapshot {
    const histograms = [...this.#summaries].map(([name, summary]) => [
      name,
      { ...summary, avg: summary.sum / summary.count },
    ]);
    return { counters: Object.fromEntries(this.#counters), histograms: Object.fromEntries(histograms) };
  }
}
