import { cutText } from "../../kit/text/cut-text.ts";
import type { Episode } from "../memory/episodic-memory.ts";
import type { RunEnding } from "./finish-run.ts";
import type { Run } from "./run.ts";

const saidLengthMax = 240;

/** Importance of a run's episode by outcome: failures count more than successes, and runs with tool calls more than answers alone. */
const importanceOf = { failed: 0.8, blocked: 0.6, acted: 0.5, answered: 0.3 };

/** A run as an episode: the query, the outcome and the tools used. */
export function episodeOf(run: Run, { status, code, blockedBy }: RunEnding): Episode {
  const { trace, ports, request, toolCalls } = run;
  const tools = [...new Set(toolCalls.map(({ tool }) => tool))];
  return {
    event_type: "run",
    summary: summaryOf(run, status, blockedBy),
    context: {
      session_id: request.sessionId,
      trace_id: trace.traceId,
      ...(tools.length === 0 ? {} : { tools }),
      ...(code === undefined ? {} : { error: code }),
    },
    outcome: status,
    timestamp: ports.clock.now().toISOString(),
    importance: importance(status, tools.length > 0),
  };
}

function importance(status: RunEnding["status"], acted: boolean): number {
  if (status === "blocked") return importanceOf.blocked;
  if (status !== "ok") return importanceOf.failed;
  return acted ? importanceOf.acted : importanceOf.answered;
}

function summaryOf(run: Run, status: RunEnding["status"], blockedBy: RunEnding["blockedBy"]): string {
  // Text that a guardrail blocked is not stored.
  if (status === "blocked") {
    const where = typeof blockedBy?.stage === "string" ? ` the ${blockedBy.stage}` : "";
    return `A guardrail (${String(blockedBy?.type ?? "unknown")}) blocked${where}.`;
  }
  const asked = `Asked: ${gist(run.query)}`;
  return status === "ok" ? `${asked} Answered: ${gist(run.response)}` : asked;
}

function gist(said: string): string {
  const line = said.replace(/\s+/gu, " ").trim();
  return line.length <= saidLengthMax ? line : `${cutText(line, saidLengthMax)}…`;
}
