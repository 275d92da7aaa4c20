import { version } from "../../../../package.json" with { type: "json" };
import type { TraceSink } from "../../../engine/telemetry/trace.ts";
import type { AdmissionGate } from "../../../kit/concurrency/admission-gate.ts";
import { MetricRegistry } from "../../../kit/metrics.ts";
import { escapeControls } from "../../../kit/text/terminal-text.ts";
import type { Worker } from "../../../kit/worker.ts";
import { createDaemonMetrics, type DaemonMetrics } from "../../../services/daemon/metrics/daemon-metrics.ts";
import { createRunStatistics, type RunStatistics } from "../../../services/daemon/run-stats/read-stats.ts";
import type { DaemonTables } from "../../../services/daemon/tables.ts";
import { OtlpExporter } from "../../../services/daemon/traces/otlp/otlp-exporter.ts";
import { insertTraces } from "../../../services/daemon/traces/store.ts";
import {
  createTraceArchive,
  type TraceArchive,
  tracePruner,
} from "../../../services/daemon/traces/trace-archive.ts";
import { TraceBuffer } from "../../../services/daemon/traces/trace-buffer.ts";
import { lineWriter, toAll } from "../../../services/daemon/traces/trace-sinks.ts";
import type { Storage } from "../../../storage/storage.ts";
import type { Foundation } from "../../foundation.ts";

/** Metrics and traces of the daemon. */
export interface Telemetry {
  metrics: DaemonMetrics;
  /** Receives the traces of runs. */
  traces: TraceSink;
  archive: TraceArchive;
  runStats: RunStatistics;
  /** Keeps a trace without exporting it. */
  keepTrace: TraceSink["record"];
  workers: { buffer: Worker; exporter: Worker | undefined; pruner: Worker };
  /** Writes and exports pending traces. */
  close(): Promise<void>;
}

/** First stage: what all later ones report to. */
export function openTelemetry(
  { config: { observability }, clock, log }: Pick<Foundation, "config" | "clock" | "log">,
  { storage, gate }: { storage: Storage<DaemonTables>; gate: AdmissionGate },
): Telemetry {
  const exporter = observability.otlp && new OtlpExporter(observability.otlp, version, clock, log);
  const buffer = new TraceBuffer((batch) => insertTraces(storage, batch), clock, log);
  const sinks: TraceSink[] = [buffer];
  if (observability.collector === "stdout")
    sinks.push(lineWriter((line) => process.stdout.write(escapeControls(line))));
  if (exporter) sinks.push(exporter);
  return {
    metrics: createDaemonMetrics(new MetricRegistry(), () => gate),
    traces: sinks.length === 1 ? buffer : toAll(sinks),
    archive: createTraceArchive(storage, buffer),
    runStats: createRunStatistics(storage, () => buffer.flush()),
    keepTrace: (tenant, trace) => buffer.record(tenant, trace),
    workers: {
      buffer: buffer.worker(),
      exporter: exporter?.worker(),
      pruner: tracePruner(storage, observability.retention, clock),
    },
    async close() {
      // A stop must succeed even if the disk is full.
      await buffer.flush().catch((thrown) => log.error("traces.lost", { err: thrown }));
      await exporter?.close();
    },
  };
}
