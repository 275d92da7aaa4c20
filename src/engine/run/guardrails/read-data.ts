import { inPieces } from "../../../kit/concurrency/others-turn.ts";
import type { RunEvent } from "../../run-state/run-event.ts";
import type { StructuredOutput } from "../../structured/structured-output.ts";
import type { Run } from "../run.ts";
import { noteFindings } from "./note-findings.ts";

/**
 * Reads the data of the answer into `run.structured`. The output guardrails check its values too, because they may find more there than in
 * the text: a card number that was written as `4.1e15`. Data that no longer matches the schema afterwards is not returned. Throws
 * `guardrail_blocked`.
 */
export async function* readData(run: Run, structured: StructuredOutput): AsyncGenerator<RunEvent, void> {
  const { agent, signal, trace } = run;
  const read = await inPieces(structured.read(run.response), signal);
  if ("error" in read || agent.outputGuardrails.length === 0) {
    run.structured = read;
    return;
  }
  const checks = agent.outputGuardrails.open();
  // Findings with other actions were reported for the text.
  const changes = () =>
    checks.reports().filter(({ outcome }) => outcome === "redacted" || outcome === "blocked");
  try {
    const data = await inPieces(checks.filterValue(read.data), signal);
    const redacted = changes();
    if (redacted.length === 0) {
      run.structured = read;
      return;
    }
    run.outputFiltered = true;
    const span = trace.start("guardrails.output");
    yield* noteFindings(run, span, redacted);
    span.end();
    run.structured = await inPieces(structured.read(JSON.stringify(data)), signal);
  } catch (thrown) {
    const blocked = changes();
    if (blocked.length > 0) yield* noteFindings(run, trace.start("guardrails.output"), blocked);
    throw thrown;
  }
}
