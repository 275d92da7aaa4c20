import { presentTrace } from "../../../engine/telemetry/present-trace.ts";
import type { RecordedTrace, TraceSink } from "../../../engine/telemetry/trace.ts";

/** Sends each trace to several sinks. */
export function toAll(sinks: readonly TraceSink[]): TraceSink {
  return {
    record(tenant, trace, corrected) {
      for (const sink of sinks) sink.record(tenant, trace, corrected);
    },
    count(tenant, trace) {
      for (const sink of sinks) sink.count?.(tenant, trace);
    },
  };
}

/** Writes each trace as one line of JSON, in the API's form. */
export function lineWriter(write: (line: string) => void): TraceSink {
  const writeLine = (trace: RecordedTrace) => write(`${JSON.stringify(presentTrace(trace))}\n`);
  return {
    record: (_tenant, trace, corrected) =>
      corrected === undefined ? writeLine(trace) : void corrected.then(writeLine),
  };
}
