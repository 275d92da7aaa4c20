/** Whether the provider takes free text now. */
export type WindowState =
  | { state: "none" }
  /** The user never wrote here: only the provider knows. */
  | { state: "unknown" }
  | { state: "open"; leftMs: number }
  | { state: "closed" };

/** Reads `window_closes_at` of a conversation. */
export function windowState(closesAt: string | null | undefined, nowMs: number): WindowState {
  if (closesAt === undefined) return { state: "none" };
  if (closesAt === null) return { state: "unknown" };
  const leftMs = Date.parse(closesAt) - nowMs;
  return leftMs > 0 ? { state: "open", leftMs } : { state: "closed" };
}

const minuteMs = 60_000;

/** Formats the time left: 3 h 12 min, below an hour in minutes. It is rounded down, so that there is at least as much. */
export function formatLeft(leftMs: number): string {
  const minutes = Math.floor(leftMs / minuteMs);
  if (minutes < 1) return "< 1 min";
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours >= 10 || minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
}
