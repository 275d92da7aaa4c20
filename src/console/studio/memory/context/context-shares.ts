import type { ContextPart, ContextView } from "../../../../contracts/daemon/memory/context-window.ts";

export type ContextGroupName = "system" | "tools" | "summary" | "recalled" | "turns" | "context" | "query";

/** Parts of a context window that belong together, and their size. */
export interface ContextGroup {
  name: ContextGroupName;
  tokens: number;
  /** Share of all used tokens. */
  share: number;
  parts: ContextPart[];
}

const groupOf: Readonly<Record<ContextPart["kind"], ContextGroupName>> = {
  system: "system",
  tool: "tools",
  summary: "summary",
  memories: "recalled",
  episodes: "recalled",
  passages: "recalled",
  turn: "turns",
  context: "context",
  query: "query",
};

const order: readonly ContextGroupName[] = [
  "system",
  "tools",
  "summary",
  "turns",
  "recalled",
  "context",
  "query",
];

/** Groups the parts by kind. A part inside another one is counted only there. */
export function contextShares({ parts }: Pick<ContextView, "parts">): ContextGroup[] {
  const counted = (part: ContextPart) => (part.within === undefined ? part.tokens : 0);
  const all = parts.reduce((sum, part) => sum + counted(part), 0);
  return order.flatMap((name) => {
    const own = parts.filter(({ kind }) => groupOf[kind] === name);
    if (own.length === 0) return [];
    const tokens = own.reduce((sum, part) => sum + counted(part), 0);
    return [{ name, tokens, share: all === 0 ? 0 : tokens / all, parts: own }];
  });
}
