import type { Span } from "../../../contracts/daemon/run.ts";
import { traceTexts } from "../../texts/studio-runs.ts";

/** What a span is about: the colour of its bar, beside its name. */
export type SpanKind = "run" | "model" | "tool" | "memory" | "guardrail" | "other";

const told: Readonly<Record<string, (of: (attribute: string) => string) => string>> = {
  "agent.run": (of) => of("agent"),
  "llm.complete": (of) => of("model"),
  "tool.call": (of) => of("tool"),
  step: (of) => of("name"),
  orchestration: (of) => of("pattern"),
  "swarm.member": (of) => of("agent"),
  "chain.link": (of) => of("agent"),
  knowledge: (of) => of("pipeline"),
};

/** What tells a span from others of its name: a model, a tool, an agent; "" when nothing does. */
export function spanSubject({ name, attributes }: Span): string {
  return (
    told[name]?.((attribute) => {
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

/** A span's name in words; its own where there are none for it. */
export const spanLabel = ({ name }: Span): string => traceTexts.spans[name] ?? name;

/** Name and subject. */
export const spanTitle = (span: Span): string => `${spanLabel(span)} ${spanSubject(span)}`.trim();
