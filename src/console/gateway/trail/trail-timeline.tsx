import { Anchor } from "@mantine/core";
import { Link } from "wouter";
import type { TrailEvent } from "../../../contracts/gateway/trail.ts";
import { formatDuration, formatInstant } from "../../parts/text/format.ts";
import { useSession } from "../../session/session.tsx";
import { trailTexts as texts } from "../../texts/gateway/trail.ts";
import { gatewayPaths } from "../gateway-paths.ts";
import { plainReason } from "../outbox/plain-reason.ts";

type Tone = "good" | "bad" | "warn" | "plain";

/** The events of a message in order, with the time since the first. */
export function TrailTimeline({ events }: { events: readonly TrailEvent[] }) {
  const startMs = Date.parse(events[0]?.at ?? "");
  return (
    <ol className="ar-trail">
      {events.map((event, at) => {
        const { text, note } = wordsOf(event);
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: events are only added, and some are equal
          <li key={at} data-tone={toneOf(event)}>
            <span className="ar-trail-text">
              <span>{text}</span>
              {note !== undefined && <span className="ar-soft ar-break">{note}</span>}
              <EventLinks event={event} />
            </span>
            <time className="ar-soft" dateTime={event.at} title={formatInstant(event.at)}>
              {at === 0
                ? formatInstant(event.at)
                : texts.after(formatDuration(Date.parse(event.at) - startMs))}
            </time>
          </li>
        );
      })}
    </ol>
  );
}

function EventLinks({ event: { event, details, related_id } }: { event: TrailEvent }) {
  const { state, signedIn } = useSession();
  const invocation = details?.invocation;
  const mayOpenRun = signedIn.operator && state.services.includes("platform");
  return (
    <>
      {typeof invocation === "string" && mayOpenRun && (
        <Anchor component={Link} href={`/platform/operator/invocations/${encodeURIComponent(invocation)}`}>
          {texts.openRun}
        </Anchor>
      )}
      {event === "answered" && related_id !== undefined && (
        <Anchor component={Link} href={gatewayPaths.trail(related_id)}>
          {texts.related}
        </Anchor>
      )}
    </>
  );
}

/** Returns an event in plain words. */
function wordsOf({ event, details = {} }: TrailEvent): { text: string; note?: string } {
  const { outcome, error, status, failed_tries: tries } = details;
  const said = typeof outcome === "string" ? outcome : undefined;
  const note = typeof tries === "number" && tries > 0 ? { note: texts.tries(tries) } : {};
  switch (event) {
    case "run":
      return {
        text: texts.events.run,
        ...(typeof status === "string" && status !== "ok" && { note: status }),
      };
    case "closed":
      return { text: said === undefined ? texts.events.closed : texts.outcome(said), ...note };
    case "attempt": {
      const text = said === undefined ? texts.events.attempt : texts.attempt(said);
      if (typeof error !== "string") return { text };
      const reason = plainReason(error);
      return { text, note: [reason.text, reason.advice].filter((part) => part !== undefined).join(" ") };
    }
    case "reacted": {
      const { emoji, rating } = details;
      if (typeof emoji !== "string") return { text: texts.unreacted };
      return { text: `${texts.events.reacted} ${emoji}`, note: texts.rating(rating, said) };
    }
    default:
      return { text: texts.events[event], ...note };
  }
}

function toneOf({ event, details }: TrailEvent): Tone {
  switch (event) {
    case "failed":
    case "parked":
      return "bad";
    case "attempt":
      return details?.outcome === "sent" || details?.outcome === "continue" ? "plain" : "warn";
    case "run":
      return details?.status === "ok" ? "good" : "bad";
    case "closed":
      return details?.outcome === "answered" || details?.outcome === "silent" ? "plain" : "warn";
    case "reacted":
      return details?.rating === "up" ? "good" : details?.rating === "down" ? "bad" : "plain";
    case "duplicate":
      return "warn";
    case "sent":
    case "delivered":
    case "read":
    case "played":
      return "good";
    default:
      return "plain";
  }
}
