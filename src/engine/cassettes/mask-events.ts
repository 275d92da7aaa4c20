import type { TapedEvent } from "../../contracts/daemon/cassettes/cassette-file.ts";
import type { RunEvent } from "../run/run-event.ts";
import type { CassetteSecrets } from "./cassette-secrets.ts";
import { maskPieces } from "./mask-pieces.ts";

/** The events of a run without secrets and without the trace, which has its own store. */
export function maskEvents(events: readonly RunEvent[], secrets: CassetteSecrets): TapedEvent[] {
  const tokens = events.flatMap((event) => (event.type === "token" ? event.content : []));
  const masked = maskPieces(tokens, (text) => secrets.maskText(text)).values();
  return events.flatMap((event) => {
    if (event.type !== "token") return secrets.mask(tapeEvent(event)) as TapedEvent;
    const content = masked.next().value ?? "";
    // Live runs never emit an empty token, so a token that masking leaves empty is dropped.
    return content === "" ? [] : { type: "token", content };
  });
}

/** An event in the form that a cassette stores. */
export function tapeEvent(event: RunEvent): TapedEvent {
  if (event.type !== "done") return event;
  const { type, result, finish, usage } = event;
  return { type, result, finish, usage };
}
