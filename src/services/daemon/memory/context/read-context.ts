import type { ContextView } from "../../../../contracts/daemon/memory/context-window.ts";
import type { RunnableAgent } from "../../../../engine/agents/runnable-agent.ts";
import { estimateRequestTokens } from "../../../../engine/models/token-count.ts";
import { maskFor } from "../../../../engine/run/own-secrets.ts";
import { previewRun } from "../../../../engine/run/preview-run.ts";
import { resultTokensOf } from "../../../../engine/run/prompt/render-prompt.ts";
import type { RunPorts } from "../../../../engine/run/run.ts";
import { operatorTenant } from "../../operator-tenant.ts";
import { type ConversationDeps, conversationsOf } from "../conversations/conversations-of.ts";
import { contextParts, keptTurns } from "./context-parts.ts";

export interface ContextDeps extends ConversationDeps {
  runs: RunPorts;
  /** Aborts when the time for a graceful stop is over. */
  stopping: AbortSignal;
}

/** Returns the prompt that a run of the session would send to the model now. Calls no model and changes nothing. */
export async function readContext(
  deps: ContextDeps,
  { agent: name, session, query }: { agent: string; session: string; query: string },
  asked: AbortSignal,
): Promise<ContextView> {
  const { runs, stopping } = deps;
  const key = { tenant: operatorTenant, agent: name, sessionId: session };
  const preview = await previewRun(
    runs,
    await deps.catalog.getLoaded(name),
    { tenant: operatorTenant, sessionId: session, query, context: {} },
    AbortSignal.any([asked, stopping]),
  );
  const { agent, state } = preview.run;
  const window = agent.routerFor().contextWindow;
  const used = estimateRequestTokens({
    messages: [...agent.preambleOf(preview.prompt.system), ...state.messages],
    tools: agent.toolSpecs,
  });
  const progress = await (await conversationsOf(deps, name)).summaries.progress(key);
  const turns = keptTurns(preview);
  const total = Math.max(progress?.lastSeq ?? 0, turns);
  return {
    agent: name,
    session_id: session,
    parts: contextParts(preview, maskFor(runs, agent) ?? ((text) => text)),
    window_tokens: window,
    used_tokens: used,
    used_share: Math.round((used / window) * 10_000) / 10_000,
    reserved: { answer_tokens: agent.answerTokens, tool_result_tokens: resultTokensOf(agent) },
    turns: {
      strategy: agent.memory.strategy.name,
      total,
      kept: turns,
      left_out: total - turns,
      left_out_by_strategy: total - Math.max(turns, preview.memory.turns.length),
      left_out_by_window: Math.max(0, preview.memory.turns.length - turns),
    },
    faults: [
      ...preview.unread.map((memory) => `The ${memory} memory could not be read.`),
      ...missingTools(agent),
    ],
  };
}

function missingTools({ live }: RunnableAgent): string[] {
  return (live?.sources ?? []).flatMap(({ source }) => {
    const { state } = source.mcp?.status() ?? {};
    if (state === undefined || state === "ready" || source.now().length > 0) return [];
    return [`The tools of the MCP server ${source.entry} are not known: it is ${state}.`];
  });
}
