import { toAppError } from "../../../kit/app-error.ts";
import type { SpanHandle } from "../../telemetry/trace-recorder.ts";
import type { Run } from "../run.ts";

/** Memories whose failure does not fail a run. */
export type FailingMemory = "semantic" | "episodic";

export interface MemoryFailure {
  memory: FailingMemory;
  step: "recall" | "keep";
  thrown: unknown;
}

/** Reports that a memory failed in a run that continues without it: in its span, which ends, in the log and in the metrics. */
export function noteMemoryFailure(
  { agent, ports, trace }: Run,
  span: SpanHandle | undefined,
  { memory, step, thrown }: MemoryFailure,
): void {
  const { code } = toAppError(thrown);
  span?.set("error", code);
  span?.end("ERROR");
  ports.observer.memoryFailed({ memory, step });
  ports.log.warn("memory.failed", {
    agent: agent.name,
    memory,
    step,
    code,
    trace_id: trace.traceId,
    err: thrown,
  });
}
