/** The daemon's result of a run. */
export function resultOf(response: string, session_id: string) {
  return {
    response,
    session_id,
    trace_id: "t1",
    tool_calls: [],
    usage: { input_tokens: 100, output_tokens: 20, total_tokens: 120 },
    timing: { total_ms: 12 },
    provider: "lab",
    model: "test-model",
    metadata: { iterations: 1 },
  };
}

/** An eval of the agent `support`, whose cases expect the question in the answer. */
export function evalOf(name: string, queries: readonly string[], spec: Record<string, unknown> = {}) {
  return {
    apiVersion: "platform/v1",
    kind: "Eval",
    metadata: { name },
    spec: {
      agent: "support",
      cases: queries.map((query) => ({
        id: query,
        query,
        checks: [{ contains: query }],
      })),
      ...spec,
    },
  };
}

export type EvalDocument = ReturnType<typeof evalOf>;
