/** Formats a log record, given as its JSON line, as readable text: `time level event name=value …` on one line. */
export function formatLogText(jsonLine: string): string {
  const { time, level, event, ...fields } = JSON.parse(jsonLine) as Record<string, unknown>;
  const pairs = Object.entries(fields).map(([name, value]) => ` ${name}=${readable(value)}`);
  return `${time} ${String(level).padEnd(7)} ${event}${pairs.join("")}\n`;
}

/** Returns plain words unchanged. Anything else becomes JSON, with characters escaped that could control a terminal. */
function readable(value: unknown): string {
  if (typeof value === "string" && /^[\w.:/@+-]+$/.test(value)) return value;
  return JSON.stringify(value).replace(
    /[\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
