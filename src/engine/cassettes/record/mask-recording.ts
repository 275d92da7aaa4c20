import type { RecordedError, RecordedEvent } from "../../../contracts/daemon/cassettes/cassette-file.ts";
import type { RoutedEvent } from "../../models/model-router.ts";
import type { RunEvent } from "../../run-state/run-event.ts";
import type { CassetteSecrets } from "../cassette-secrets.ts";
import { maskPieces } from "./mask-pieces.ts";
import type { Noted } from "./recorder.ts";

/** Error of a call that had no answer when the run ended. */
const cutOff: RecordedError = {
  kind: "unavailable",
  code: "run_cancelled",
  message: "The run ended before the answer came.",
};

/** An entry's answer without secrets. If no answer came, the result says so. */
export function maskAnswer({ kind, answer, ended, request }: Noted, secrets: CassetteSecrets): unknown {
  switch (kind) {
    case "model": {
      const { events, error } = answer as { events: readonly RoutedEvent[]; error?: RecordedError };
      const failure = error ?? (ended === undefined ? cutOff : undefined);
      return { events: maskModelEvents(events, secrets), ...(failure && { error: secrets.mask(failure) }) };
    }
    case "tool":
    case "worker": {
      if (answer !== undefined) return secrets.mask(answer);
      const { tool } = request as { tool: string };
      return { result: { success: false, error: `${tool} was stopped: the run has ended.` } };
    }
    case "memory":
      return secrets.mask(answer ?? { turns: [], error: cutOff });
    case "recall":
      return secrets.mask(answer ?? { items: [], error: cutOff });
    case "random":
    case "id":
      return answer;
    default:
      return secrets.mask(answer);
  }
}

function maskModelEvents(events: readonly RoutedEvent[], secrets: CassetteSecrets): unknown[] {
  const texts = events.flatMap((event) => (event.type === "text" ? event.text : []));
  const masked = maskPieces(texts, (text) => secrets.maskText(text)).values();
  return events.map((event) =>
    event.type === "text" ? { ...event, text: masked.next().value ?? "" } : secrets.mask(event),
  );
}

/** The events of a run without secrets and without the trace, which has its own store. */
export function maskEvents(events: readonly RunEvent[], secrets: CassetteSecrets): RecordedEvent[] {
  const tokens = events.flatMap((event) => (event.type === "token" ? event.content : []));
  const masked = maskPieces(tokens, (text) => secrets.maskText(text)).values();
  return events.flatMap((event) => {
    if (event.type !== "token") return secrets.mask(recordEvent(event)) as RecordedEvent;
    const content = masked.next().value ?? "";
    // Live runs never emit an empty token, so a token that masking leaves empty is dropped.
    return content === "" ? [] : { type: "token", content };
  });
}

/** An event in the form that a cassette stores. */
export function recordEvent(event: RunEvent): RecordedEvent {
  if (event.type !== "done") return event;
  const { type, result, finish, usage } = event;
  return { type, result, finish, usage };
}
