import type { Span } from "../../../contracts/daemon/runs/run.ts";
import { traceTexts } from "../../texts/studio/runs.ts";

/** The kind of a span, which determines the colour of its bar. */
export type SpanKind = "run" | "model" | "tool" | "memory" | "guardrail" | "other";

const summaries: Readonly<Record<string, (of: (attribute: string) => string) => string>> = {
  "agent.run": (of) => of("agent"),
  "llm.complete": (of) => of("model"),
  "tool.call": (of) => of("tool"),
  step: (of) => of("name"),
  orchestration: (of) => of("pattern"),
  "swarm.member": (of) => of("agent"),
  "chain.link": (of) => of("agent"),
  knowledge: (of) => of("pipeline"),
};

/** Returns the subject of a span: a model, a tool, an agent; "" if it has none. */
export function spanSubject({ name, attributes }: Span): string {
  return (
    summaries[name]?.((attribute) => {
      const value = attributes[attribute];
      return typeof value === "string" ? value : "";
    }) ?? ""
  );
}

export function spanKind({ name }: Span): SpanKind {
  if (name === "agent.run" || name === "swarm.member" || name === "chain.link") return "run";
  if (name === "llm.complete") return "model";
  if (name === "tool.call") return "tool";
  if (name.startsWith("memory") || name === "knowledge") return "memory";
  return name.startsWith("guardrails") ? "guardrail" : "other";
}

/** Returns the label of a span's name, or the name itself if it has no label. */
export const spanLabel = ({ name }: Span): string => traceTexts.spans[name] ?? name;

/** Returns label and subject. */
export const spanTitle = (span: Span): string => `${spanLabel(span)} ${spanSubject(span)}`.trim();
