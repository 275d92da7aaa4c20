import type { TapedError } from "../../contracts/daemon/cassettes/cassette-file.ts";
import type { RoutedEvent } from "../models/model-router.ts";
import type { CassetteSecrets } from "./cassette-secrets.ts";
import { maskPieces } from "./mask-pieces.ts";
import type { Noted } from "./recorder.ts";

/** Error of a call that had no answer when the run ended. */
const cutOff: TapedError = {
  kind: "unavailable",
  code: "run_cancelled",
  message: "The run ended before the answer came.",
};

/** An entry's answer without secrets. If no answer came, the result says so. */
export function maskAnswer({ kind, answer, ended, request }: Noted, secrets: CassetteSecrets): unknown {
  switch (kind) {
    case "model": {
      const { events, error } = answer as { events: readonly RoutedEvent[]; error?: TapedError };
      const shown = error ?? (ended === undefined ? cutOff : undefined);
      return { events: maskModelEvents(events, secrets), ...(shown && { error: secrets.mask(shown) }) };
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
