import type { OpenTrace } from "../../src/engine/telemetry/trace.ts";

const telling = ["name", "role", "tool", "agent"];

/** Formats the spans below a run's `orchestration`, one per line, indented, with their subject, and `!` if they failed. */
export function spanTree(trace: OpenTrace | undefined): string[] {
  const spans = trace?.spans ?? [];
  const below = (parent: string | undefined, indent: string): string[] =>
    spans
      .filter(({ parent_span_id }) => parent_span_id === parent)
      .flatMap(({ name, span_id, attributes, status }) => [
        indent +
          [name, ...telling.flatMap((key) => attributes[key] ?? []), ...(status === "OK" ? [] : ["!"])].join(
            " ",
          ),
        ...below(span_id, `${indent}  `),
      ]);
  return below(spans.find(({ name }) => name === "orchestration")?.span_id, "");
}
