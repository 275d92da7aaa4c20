import type { TapedEvent } from "../../contracts/daemon/cassette-file.ts";
import type { RunEvent } from "../run/run-event.ts";
import type { CassetteSecrets } from "./cassette-secrets.ts";
import { maskPieces } from "./mask-pieces.ts";

/** A run's events without secrets, and without the trace, which has a store of its own. */
export function maskEvents(events: readonly RunEvent[], secrets: CassetteSecrets): TapedEvent[] {
  const tokens = events.flatMap((event) => (event.type === "token" ? event.content : []));
  const masked = maskPieces(tokens, (text) => secrets.maskText(text)).values();
  return events.flatMap((event) => {
    if (event.type !== "token") return secrets.mask(tapeEvent(event)) as TapedEvent;
    const content = masked.next().value ?? "";
    // A run tells no empty token, and neither does the replay of what became one.
    return content === "" ? [] : { type: "token", content };
  });
}

/** An event as a cassette holds it. */
export function tapeEvent(event: RunEvent): TapedEvent {
  if (event.type !== "done") return event;
  const { type, result, finish, usage } = event;
  return { type, result, finish, usage };
}
