import type { Turn } from "../../memory/conversation.ts";
import { estimateTokens } from "../../models/token-count.ts";
import type { EngineRequest } from "../../run-state/run-request.ts";

/** The turns that a caller tells, as they are remembered: each says who wrote it in the agent's place. */
export const toldTurns = ({ turns = [], history }: EngineRequest): Turn[] =>
  // With a history, the caller keeps the conversation.
  (history === undefined ? turns : []).map(({ role, content, at, by }) => ({
    role,
    content,
    at: new Date(at),
    tokenCount: estimateTokens(content),
    metadata: by === undefined ? { told: true } : { told: true, by },
  }));
