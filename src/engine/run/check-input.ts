import type { Run } from "./run.ts";
import type { RunEvent } from "./run-event.ts";

/** Passes the query through the input guardrails, traced as `guardrails.input`; throws `guardrail_blocked` when one blocks. */
export async function* checkInput(run: Run): AsyncGenerator<RunEvent, void> {
  const chain = run.agent.inputGuardrails;
  if (chain.length === 0) return;
  const span = run.trace.start("guardrails.input");
  try {
    const checked = chain.check(run.query);
    run.query = checked.text;
    for (const report of checked.reports) {
      if (report.hits === 0) continue;
      run.inputRedacted ||= report.outcome === "redacted";
      span.set(report.type, report.outcome);
      yield {
        type: "guardrail",
        guardrail: report.type,
        stage: "input",
        outcome: report.outcome,
        hits: report.hits,
      };
    }
    span.end();
  } finally {
    span.end("ERROR");
  }
}
