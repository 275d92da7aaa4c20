import type { RecordedSpan, RecordedTrace } from "../../src/engine/telemetry/trace.ts";

/** A trace of a span or two, as a run would record it. */
export function recordedTrace(
  id: string,
  startedAtMs: number,
  {
    agent = "helper",
    input,
    output = "",
    session = "s",
    status = "OK",
    durationMs = 12.5,
    model = "test-model",
    costUsd,
    error,
  }: {
    agent?: string;
    /** Question; absent: not recorded. */
    input?: string;
    output?: string;
    session?: string;
    status?: RecordedTrace["status"];
    durationMs?: number;
    model?: string;
    /** With a cost, the trace has a model call of 10 and 5 tokens; null: without a known price. */
    costUsd?: number | null;
    error?: string;
  } = {},
): RecordedTrace {
  return {
    trace_id: id,
    agent,
    session_id: session,
    status,
    started_at_ms: startedAtMs,
    duration_ms: durationMs,
    spans: [
      [
        "agent.run",
        -1,
        0,
        durationMs,
        status,
        { ...(input === undefined ? {} : { input }), output, ...(error === undefined ? {} : { error }) },
      ],
      ...(costUsd === undefined
        ? []
        : [
            modelCall(durationMs, {
              provider: "lab",
              model,
              input_tokens: 10,
              output_tokens: 5,
              ...(costUsd === null ? {} : { cost_usd: costUsd }),
            }),
          ]),
    ],
  };
}

const modelCall = (durationMs: number, attributes: Record<string, unknown>): RecordedSpan => [
  "llm.complete",
  0,
  0,
  durationMs,
  "OK",
  attributes,
];
