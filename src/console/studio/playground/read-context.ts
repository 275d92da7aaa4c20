/** What is written as a context: nothing is an empty one, and what is no JSON object is undefined. */
export function readContext(written: string): Record<string, unknown> | undefined {
  if (written.trim() === "") return {};
  try {
    const value: unknown = JSON.parse(written);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}
