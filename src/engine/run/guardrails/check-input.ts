import type { AppError } from "../../../kit/app-error.ts";
import { inPieces, isOthersTurn } from "../../../kit/concurrency/others-turn.ts";
import type { ChainVerdict, GuardrailReport } from "../../guardrails/check-text.ts";
import type { Message } from "../../models/model.ts";
import type { RunEvent } from "../../run-state/run-event.ts";
import type { SpanHandle } from "../../telemetry/trace-recorder.ts";
import type { Run } from "../run.ts";
import { noteFindings } from "./note-findings.ts";

/** Findings of the guardrails in the input. A blocked run reports them and ends with the error. */
export interface CheckedInput {
  events: readonly RunEvent[];
  blocked: AppError | undefined;
}

const unchecked: CheckedInput = { events: [], blocked: undefined };

/**
 * Passes the query, and the history if the caller sent it, through the input guardrails, traced as `guardrails.input`. Returns
 * `guardrail_blocked` if one blocks. Returns the result itself if the texts are short.
 */
export function checkInput(run: Run): CheckedInput | Promise<CheckedInput> {
  const { inputGuardrails: chain } = run.agent;
  if (chain.length === 0) return unchecked;
  const span = run.trace.start("guardrails.input");
  const verdict = run.history === undefined && !isOthersTurn() ? chain.checkShort(run.query) : undefined;
  return verdict === undefined ? checkAll(run, span) : noted(run, span, verdict, verdict.reports);
}

async function checkAll(run: Run, span: SpanHandle): Promise<CheckedInput> {
  const chain = run.agent.inputGuardrails;
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
  const text = await passed(run.query);
  return noted(run, span, { text, blocked }, reports);
}

function noted(
  run: Run,
  span: SpanHandle,
  { text, blocked }: Pick<ChainVerdict, "text" | "blocked">,
  reports: readonly GuardrailReport[],
): CheckedInput {
  run.query = text;
  run.inputRedacted = reports.some(({ outcome, type }) => outcome === "redacted" && type.startsWith("pii_"));
  const events = noteFindings(run, span, reports);
  if (blocked === undefined) span.end();
  return { events, blocked };
}

/** Adds the reports for one text to those of earlier texts. Both lists have the same guardrails in the same order. */
function addReports(total: GuardrailReport[], reports: readonly GuardrailReport[]): void {
  for (const [place, report] of reports.entries()) {
    const before = total[place];
    const outcome = before === undefined || report.outcome !== "passed" ? report.outcome : before.outcome;
    total[place] = { ...report, outcome, hits: report.hits + (before?.hits ?? 0) };
  }
}
