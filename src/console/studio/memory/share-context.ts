import type { ContextPart, ContextView } from "../../../contracts/daemon/context-window.ts";

export type ContextGroupName = "system" | "tools" | "summary" | "recalled" | "turns" | "context" | "query";

/** What belongs together in a context window, and what it takes of it. */
export interface ContextGroup {
  name: ContextGroupName;
  tokens: number;
  /** Of all tokens that are used. */
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

/** The parts by what they are; a part that stands within another one is counted there, and not once more. */
export function shareContext({ parts }: Pick<ContextView, "parts">): ContextGroup[] {
  const counted = (part: ContextPart) => (part.within === undefined ? part.tokens : 0);
  const all = parts.reduce((sum, part) => sum + counted(part), 0);
  return order.flatMap((name) => {
    const own = parts.filter(({ kind }) => groupOf[kind] === name);
    if (own.length === 0) return [];
    const tokens = own.reduce((sum, part) => sum + counted(part), 0);
    return [{ name, tokens, share: all === 0 ? 0 : tokens / all, parts: own }];
  });
}
