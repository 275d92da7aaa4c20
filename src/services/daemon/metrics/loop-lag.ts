import type { Clock } from "../../../kit/clock.ts";
import { metricsIn } from "../../../kit/metrics.ts";
import type { Worker } from "../../../kit/worker.ts";
import type { DaemonMetrics } from "./daemon-metrics.ts";

const sampleMs = 1000;
/** As in `process.stalled` of the log. */
const stallSeconds = 5;

/** Measures how late a timer fires, which is how long the event loop was blocked. */
export function loopLagSampler({ registry }: Pick<DaemonMetrics, "registry">, clock: Clock): Worker {
  const gauge = metricsIn(registry).gauge(
    "platform_event_loop_lag_seconds",
    "How late the latest once-a-second timer fired.",
  );
  const stalls = metricsIn(registry).counter(
    "platform_event_loop_stalls_total",
    "Times that the main thread was blocked for 5 seconds or longer.",
  );
  return {
    name: "loop-lag",
    run: (signal) =>
      new Promise((resolve) => {
        let cancel = () => {};
        const sample = () => {
          const dueMs = clock.monotonicMs() + sampleMs;
          cancel = clock.timer(sampleMs, () => {
            const lateSeconds = Math.max(0, clock.monotonicMs() - dueMs) / 1000;
            gauge.set(lateSeconds);
            if (lateSeconds >= stallSeconds) stalls.inc();
            sample();
          });
        };
        const stop = () => {
          cancel();
          resolve();
        };
        if (signal.aborted) return resolve();
        signal.addEventListener("abort", stop, { once: true });
        sample();
      }),
  };
}
