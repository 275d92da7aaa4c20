import { untilAborted } from "../../kit/until-aborted.ts";
import type { SessionKey, Turn } from "../memory/conversation.ts";
import { estimateTokens } from "../models/token-count.ts";
import type { Run } from "./run.ts";

export function sessionKey(run: Run): SessionKey {
  return { tenant: run.request.tenant, agent: run.agent.name, sessionId: run.request.sessionId };
}

/**
 * Keeps the exchange, as the guardrails let it through, traced as `memory_persist`. Only finished exchanges are kept:
 * a failed run leaves no question without an answer behind. A run whose time passes while the store is writing has
 * failed, although the store may come to keep its exchange.
 */
export async function persistTurns(run: Run): Promise<void> {
  if (run.request.history !== undefined) return;
  const span = run.trace.start("memory_persist");
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
  span.end();
}
