import { untilAborted } from "../../kit/concurrency/until-aborted.ts";
import type { SessionKey, Turn } from "../memory/conversation.ts";
import { estimateTokens } from "../models/token-count.ts";
import type { Run } from "./run.ts";

export function sessionKey({ agent, request: { tenant, sessionId } }: Run): SessionKey {
  return { tenant, agent: agent.memoryId ?? agent.name, sessionId };
}

/**
 * Stores the exchange as filtered by the guardrails. Only complete exchanges are stored, so a failed run leaves no question without an
 * answer. If the deadline passes while the store writes, the run has failed although the exchange may be stored. With strategy `summary`,
 * the session is summarized after the answer.
 */
export async function persistTurns(run: Run): Promise<void> {
  const at = run.ports.clock.now();
  const metadata = { trace_id: run.trace.traceId };
  const turns: Turn[] = [
    { role: "user", content: run.query, at, tokenCount: estimateTokens(run.query), metadata },
    { role: "assistant", content: run.response, at, tokenCount: estimateTokens(run.response), metadata },
  ];
  const append = () => untilAborted(run.signal, () => run.agent.memory.store.append(sessionKey(run), turns));
  if (run.tape?.once === undefined) await append();
  else {
    const deed = JSON.stringify(["persist", run.query, run.response]);
    await run.tape.once({ agent: run.agent.name }, deed, append, run.signal);
  }
  if (run.agent.memory.strategy.name === "summary") run.ports.conversationGrew?.(run.agent, sessionKey(run));
}
