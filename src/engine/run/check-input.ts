import type { AppError } from "../../kit/app-error.ts";
import type { GuardrailReport } from "../guardrails/chain.ts";
import { noteFindings } from "./note-findings.ts";
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
  const reports: GuardrailReport[] = [];
  let blocked: AppError | undefined;
  const passed = (said: string): string => {
    if (blocked) return said;
    const verdict = chain.check(said);
    addReports(reports, verdict.reports);
    blocked = verdict.blocked;
    return verdict.text;
  };
  run.history = run.history?.map((message) =>
    message.role === "user" ? { ...message, content: passed(message.content) } : message,
  );
  run.query = passed(run.query);
  run.inputRedacted = reports.some(({ outcome, type }) => outcome === "redacted" && type.startsWith("pii_"));
  yield* noteFindings(run, span, reports);
  if (blocked) throw blocked;
  span.end();
}

/** What the guardrails did to one more text is added to what they did to those before; their places are the same. */
function addReports(total: GuardrailReport[], reports: readonly GuardrailReport[]): void {
  for (const [place, report] of reports.entries()) {
    const before = total[place];
    const outcome = before === undefined || report.outcome !== "passed" ? report.outcome : before.outcome;
    total[place] = { ...report, outcome, hits: report.hits + (before?.hits ?? 0) };
  }
}
