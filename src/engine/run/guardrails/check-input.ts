import type { AppError } from "../../../kit/app-error.ts";
import { inPieces } from "../../../kit/concurrency/others-turn.ts";
import type { GuardrailReport } from "../../guardrails/chain.ts";
import type { Message } from "../../models/model.ts";
import type { RunEvent } from "../../run-state/run-event.ts";
import type { Run } from "../run.ts";
import { noteFindings } from "./note-findings.ts";

/**
 * Passes the query, and the history if the caller sent it, through the input guardrails, traced as `guardrails.input`. Throws
 * `guardrail_blocked` if one blocks.
 */
export async function* checkInput(run: Run): AsyncGenerator<RunEvent, void> {
  const chain = run.agent.inputGuardrails;
  if (chain.length === 0) return;
  const span = run.trace.start("guardrails.input");
  const reports: GuardrailReport[] = [];
  let blocked: AppError | undefined;
  const passed = async (said: string): Promise<string> => {
    if (blocked) return said;
    const verdict = await inPieces(chain.check(said), run.signal);
    addReports(reports, verdict.reports);
    blocked = verdict.blocked;
    return verdict.text;
  };
  const history: Message[] = [];
  for (const message of run.history ?? []) {
    history.push(message.role === "user" ? { ...message, content: await passed(message.content) } : message);
  }
  if (run.history !== undefined) run.history = history;
  run.query = await passed(run.query);
  run.inputRedacted = reports.some(({ outcome, type }) => outcome === "redacted" && type.startsWith("pii_"));
  yield* noteFindings(run, span, reports);
  if (blocked) throw blocked;
  span.end();
}

/** Adds the reports for one text to those of earlier texts. Both lists have the same guardrails in the same order. */
function addReports(total: GuardrailReport[], reports: readonly GuardrailReport[]): void {
  for (const [place, report] of reports.entries()) {
    const before = total[place];
    const outcome = before === undefined || report.outcome !== "passed" ? report.outcome : before.outcome;
    total[place] = { ...report, outcome, hits: report.hits + (before?.hits ?? 0) };
  }
}
