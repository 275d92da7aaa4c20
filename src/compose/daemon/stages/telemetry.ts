import { version } from "../../../../package.json" with { type: "json" };
import type { TraceSink } from "../../../engine/telemetry/trace.ts";
import { MetricRegistry } from "../../../kit/metrics.ts";
import { escapeControls } from "../../../kit/text/terminal-text.ts";
import { createDaemonMetrics, type DaemonMetrics } from "../../../services/daemon/metrics/daemon-metrics.ts";
import { createRunStatistics, type RunStatistics } from "../../../services/daemon/run-stats/read-stats.ts";
import { OtlpExporter } from "../../../services/daemon/traces/otlp/otlp-exporter.ts";
import { insertTraces } from "../../../services/daemon/traces/store.ts";
import {
  createTraceArchive,
  type TraceArchive,
  tracePruner,
} from "../../../services/daemon/traces/trace-archive.ts";
import { TraceBuffer } from "../../../services/daemon/traces/trace-buffer.ts";
import { lineWriter, toAll } from "../../../services/daemon/traces/trace-sinks.ts";
import type { Foundation } from "../../foundation.ts";
import type { Stage } from "../stage.ts";
import type { DaemonState } from "./state.ts";

/** Metrics and traces of the daemon. */
export interface Telemetry extends Stage {
  metrics: DaemonMetrics;
  /** Receives the traces of runs. */
  traces: TraceSink;
  archive: TraceArchive;
  runStats: RunStatistics;
  /** Keeps a trace without exporting it. */
  keepTrace: TraceSink["record"];
}

/** What all later stages report to. */
export function openTelemetry(
  { config: { observability }, clock, log }: Pick<Foundation, "config" | "clock" | "log">,
  { storage, gate, pools }: Pick<DaemonState, "storage" | "gate" | "pools">,
): Telemetry {
  const exporter = observability.otlp && new OtlpExporter(observability.otlp, version, clock, log);
  const buffer = new TraceBuffer((batch) => insertTraces(storage, batch), clock, log);
  const sinks: TraceSink[] = [buffer];
  if (observability.collector === "stdout")
    sinks.push(lineWriter((line) => process.stdout.write(escapeControls(line))));
  if (exporter) sinks.push(exporter);
  const registry = new MetricRegistry();
  pools.show(registry);
  return {
    metrics: createDaemonMetrics(registry, () => gate),
    traces: sinks.length === 1 ? buffer : toAll(sinks),
    archive: createTraceArchive(storage, buffer),
    runStats: createRunStatistics(storage, () => buffer.flush()),
    keepTrace: (tenant, trace) => buffer.record(tenant, trace),
    workers: [
      buffer.worker(),
      ...(exporter ? [exporter.worker()] : []),
      tracePruner(storage, observability.retention, clock),
    ],
    /** Writes and exports pending traces. */
    async close() {
      // A stop must succeed even if the disk is full.
      await buffer.flush().catch((thrown) => log.error("traces.lost", { err: thrown }));
      await exporter?.close();
    },
  };
}
