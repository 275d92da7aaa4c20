import { AppError } from "../../../kit/app-error.ts";
import { inPieces, isOthersTurn } from "../../../kit/concurrency/others-turn.ts";
import type { GuardrailChain } from "../../guardrails/chain.ts";
import type { ChainVerdict, GuardrailReport } from "../../guardrails/check-text.ts";
import type { Turn } from "../../memory/conversation.ts";
import type { Message, ToolCall } from "../../models/model.ts";
import { estimateTokens } from "../../models/token-count.ts";
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
 * Passes the query, and all of the history or of the turns that the caller sent, through the input guardrails, traced as `guardrails.input`. Returns
 * `guardrail_blocked` if one blocks. Returns the result itself if the texts are short.
 */
export function checkInput(run: Run): CheckedInput | Promise<CheckedInput> {
  const { inputGuardrails: chain } = run.agent;
  if (chain.length === 0) return unchecked;
  const span = run.trace.start("guardrails.input");
  const verdict =
    run.history === undefined && run.told.length === 0 && !isOthersTurn()
      ? chain.checkShort(run.query)
      : undefined;
  return verdict === undefined ? checkAll(run, span) : noted(run, span, verdict, verdict.reports);
}

async function checkAll(run: Run, span: SpanHandle): Promise<CheckedInput> {
  const checks = new InputChecks(run);
  if (run.history !== undefined) {
    const history: Message[] = [];
    for (const message of run.history) history.push(await checks.message(message));
    run.history = history;
  }
  const turns: Turn[] = [];
  for (const turn of run.told) {
    const checked = await checks.told(turn);
    if (checked !== undefined) turns.push(checked);
  }
  run.told = turns;
  const text = await checks.text(run.query);
  return noted(run, span, { text, blocked: checks.blocked }, checks.reports);
}

/** Checks the texts of one request in order. After a block, the rest is returned unchecked: it must not be used. */
class InputChecks {
  readonly reports: GuardrailReport[] = [];
  blocked: AppError | undefined;
  readonly #chain: GuardrailChain;
  readonly #signal: AbortSignal;

  constructor({ agent, signal }: Run) {
    this.#chain = agent.inputGuardrails;
    this.#signal = signal;
  }

  /** Text that a user wrote, or instructions in a user's place. */
  text(said: string): Promise<string> {
    return this.#passed(said, this.#chain);
  }

  /** A message of a caller's history. The caller wrote all of it, whatever its role says. */
  async message(message: Message): Promise<Message> {
    const { content, role } = message;
    if (role === "user" || role === "system") return { ...message, content: await this.text(content) };
    const checked = { ...message, content: await this.#passed(content, this.#chain.forQuoted) };
    if (checked.role === "tool") checked.name = await this.#value(checked.name);
    else if (checked.toolCalls !== undefined) checked.toolCalls = await this.#calls(checked.toolCalls);
    return checked;
  }

  /**
   * A turn that was said without the agent; undefined if a guardrail blocks it. Nobody asks that it be answered, so it is left out, and the run
   * goes on: else the agent would be silent until nobody tells it any more.
   */
  async told(turn: Turn): Promise<Turn | undefined> {
    const chain = turn.role === "user" ? this.#chain : this.#chain.forQuoted;
    const { text, blocked, reports } = await inPieces(chain.check(turn.content), this.#signal);
    addReports(this.reports, reports);
    if (blocked !== undefined) return undefined;
    return text === turn.content ? turn : { ...turn, content: text, tokenCount: estimateTokens(text) };
  }

  async #calls(calls: readonly ToolCall[]): Promise<ToolCall[]> {
    const checked: ToolCall[] = [];
    for (const { id, ...said } of calls) checked.push({ id, ...(await this.#value(said)) });
    return checked;
  }

  async #passed(said: string, chain: GuardrailChain): Promise<string> {
    if (this.blocked !== undefined) return said;
    const verdict = await inPieces(chain.check(said), this.#signal);
    addReports(this.reports, verdict.reports);
    this.blocked = verdict.blocked;
    return verdict.text;
  }

  async #value<T>(value: T): Promise<T> {
    if (this.blocked !== undefined) return value;
    const checks = this.#chain.forQuoted.open();
    try {
      return await inPieces(checks.filterValue(value), this.#signal);
    } catch (thrown) {
      if (!(thrown instanceof AppError) || thrown.code !== "guardrail_blocked") throw thrown;
      this.blocked = thrown;
      return value;
    } finally {
      addReports(this.reports, checks.reports());
    }
  }
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
