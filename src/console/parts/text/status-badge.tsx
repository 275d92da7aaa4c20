/** The meaning of a status for the reader. */
export type Tone = "good" | "warn" | "bad" | "accent" | "plain";

/** A status in one word; the colour only repeats it. */
export function StatusBadge({ tone, children }: { tone: Tone; children: string }) {
  return (
    <span className="ar-badge" data-tone={tone}>
      {children}
    </span>
  );
}
