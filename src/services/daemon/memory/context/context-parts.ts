import type { ContextPart } from "../../../../contracts/daemon/memory/context-window.ts";
import { summaryBlock } from "../../../../engine/memory/running-summary.ts";
import { estimateTokens, tokensPerMessage } from "../../../../engine/models/token-count.ts";
import type { RecalledSource } from "../../../../engine/prompts/recalled-texts.ts";
import type { RunPreview } from "../../../../engine/run/preview-run.ts";
import { cutText } from "../../../../kit/text/cut-text.ts";

/** Maximum number of characters shown of a text. */
const shownMax = 4000;

const recalledSources: readonly RecalledSource[] = ["memories", "episodes", "passages"];

/** Number of the session's turns in the prompt: all messages except the last, which contains the query. */
export const keptTurns = ({ run }: RunPreview): number => run.state.messages.length - 1;

/** Parts of the first model call of a run, in order. */
export function contextParts(preview: RunPreview, mask: (text: string) => string): ContextPart[] {
  const { run, memory, prompt } = preview;
  const part = (
    kind: ContextPart["kind"],
    role: ContextPart["role"],
    text: string,
    more = {},
  ): ContextPart[] => {
    if (text === "") return [];
    const masked = mask(text);
    return [
      {
        kind,
        role,
        text: cutText(masked, shownMax),
        characters: masked.length,
        tokens: estimateTokens(text) + (messageKinds.has(kind) ? tokensPerMessage : 0),
        ...more,
      },
    ];
  };
  const recalled = (source: RecalledSource): ContextPart[] => {
    const within = run.agent.prompt.recalledIn(source);
    const { text } = prompt.input.recalled[source];
    return part(source, within === "system" ? "system" : "user", text, within && { within });
  };
  const shownIn = (place: "system" | "context" | "stage" | undefined) =>
    recalledSources.filter((source) => run.agent.prompt.recalledIn(source) === place).flatMap(recalled);
  const turns = memory.turns.slice(memory.turns.length - keptTurns(preview));
  return [
    ...part("system", "system", prompt.system),
    ...shownIn("system"),
    ...run.agent.toolSpecs.flatMap((tool) =>
      part("tool", "system", JSON.stringify(tool, undefined, 2), {
        name: tool.name,
        tokens: estimateTokens(JSON.stringify(tool)),
      }),
    ),
    ...part("summary", "user", memory.summary === undefined ? "" : summaryBlock(memory.summary)),
    ...turns.flatMap(({ role, content, at }) => part("turn", role, content, { at: at.toISOString() })),
    ...shownIn(undefined),
    ...part("context", "user", ownContext(preview)),
    ...shownIn("context"),
    ...shownIn("stage"),
    ...part("query", "user", run.query),
  ];
}

/** Kinds that are a message of their own. */
const messageKinds: ReadonlySet<ContextPart["kind"]> = new Set(["system", "turn", "query"]);

/** Text of the agent's `context` prompt: the part of the last message between the recalled texts and the query. */
function ownContext({ run, prompt }: RunPreview): string {
  let rest = prompt.said.slice(0, prompt.said.length - run.query.length);
  for (const source of recalledSources) {
    const { text } = prompt.input.recalled[source];
    if (text !== "" && run.agent.prompt.recalledIn(source) === undefined)
      rest = rest.slice(text.length).trimStart();
  }
  return rest.trimEnd();
}
