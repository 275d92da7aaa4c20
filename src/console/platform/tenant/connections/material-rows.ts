/** One secret as it is typed: what it is called, and what it is. */
export interface MaterialRow {
  /** Tells rows apart while their names change. */
  id: number;
  name: string;
  value: string;
}

export const emptyRow = (id: number, name = ""): MaterialRow => ({ id, name, value: "" });

/** What is sent: rows with a name; JSON objects and lists as such, everything else as the text that it is. */
export function materialOf(rows: readonly MaterialRow[]): Record<string, unknown> {
  const named = rows.filter(({ name }) => name.trim() !== "");
  return Object.fromEntries(named.map(({ name, value }) => [name.trim(), readValue(value)]));
}

/** Why the rows can't be sent yet. */
export function materialFault(rows: readonly MaterialRow[]): "empty" | "nameless" | "twice" | undefined {
  if (rows.some(({ name, value }) => name.trim() === "" && value !== "")) return "nameless";
  const names = rows.map(({ name }) => name.trim()).filter((name) => name !== "");
  if (names.length === 0 || rows.every(({ value }) => value === "")) return "empty";
  return new Set(names).size < names.length ? "twice" : undefined;
}

function readValue(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
