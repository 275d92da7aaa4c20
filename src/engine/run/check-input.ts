import type { GuardrailReport } from "../guardrails/chain.ts";
import { noteFinding } from "./note-finding.ts";
import type { Run } from "./run.ts";
import type { RunEvent } from "./run-event.ts";

/**
 * Passes what the user says, and said earlier in a conversation that the caller brought, through the input guardrails,
 * traced as `guardrails.input`. Throws `guardrail_blocked` when one blocks.
 */
export async function* checkInput(run: Run): AsyncGenerator<RunEvent, void> {
  const chain = run.agent.inputGuardrails;
  if (chain.length === 0) return;
  const span = run.trace.start("guardrails.input");
  const found: GuardrailReport[] = [];
  const passed = (said: string): string => {
    const { text, reports } = chain.check(said);
    found.push(...reports.filter(({ hits }) => hits > 0));
    return text;
  };
  run.history = run.history?.map((message) =>
    message.role === "user" ? { ...message, content: passed(message.content) } : message,
  );
  run.query = passed(run.query);
  for (const report of found) {
    run.inputRedacted ||= report.outcome === "redacted" && report.type.startsWith("pii_");
    yield noteFinding(run, span, report);
  }
  span.end();
}
