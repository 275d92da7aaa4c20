/** The name and value of one secret in the form. */
export interface MaterialRow {
  /** Identifies a row while its name changes. */
  id: number;
  name: string;
  value: string;
}

export const emptyRow = (id: number, name = ""): MaterialRow => ({ id, name, value: "" });

/** Returns the secrets to send: rows with a name. JSON objects and lists are parsed; any other value stays text. */
export function materialOf(rows: readonly MaterialRow[]): Record<string, unknown> {
  const named = rows.filter(({ name }) => name.trim() !== "");
  return Object.fromEntries(named.map(({ name, value }) => [name.trim(), readValue(value)]));
}

/** Returns why the rows cannot be sent yet. */
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
