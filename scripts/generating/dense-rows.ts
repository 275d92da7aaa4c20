/** A key of a file in a page of the reference. `label` says for which variants of an entry the row holds. */
export interface KeyRow {
  key: string;
  label: string;
  type: string;
  fallback: string;
  meaning: string;
}

/** Shorter words for the types that errors spell out. */
const shorter: readonly (readonly [RegExp, string])[] = [
  [/\ba list: each a mapping\b/g, "list of mappings"],
  [/\ba list: each (?:one of )?/g, "list of "],
  [/\ba whole number between (\d+) and (\d+)/g, "$1–$2"],
  [/\ba number between (-?\d+) and (-?\d+)/g, "number $1–$2"],
  [/\btext of (\d+) to (\d+) characters/g, "text ($2)"],
  [/\btext of at most (\d+) characters/g, "text ($1)"],
  [/\ba(?:n address that starts with http:\/\/ or https:\/\/)/g, "URL"],
  [
    /\b1 to 63 lower-case letters, digits and `-` that start and end with a letter or digit( \(`by-id` is reserved\))?/g,
    "name",
  ],
  [/\b1 to 63 lower-case letters, digits, `-` and `_` that start and end with a letter or digit/g, "word"],
  [/\b1 to 64 letters, digits, `_` and `-`/g, "tool name"],
  [/\bthe name of an environment variable \(never the secret itself\)/g, "name of a variable"],
  [/\btrue or false\b/g, "boolean"],
  [/\ban address of the form host:port\b/g, "host:port"],
  [/\bone of /g, ""],
  [/^a (?=mapping|value)/g, ""],
];

const dense = (type: string): string =>
  shorter.reduce((text, [long, short]) => text.replaceAll(long, short), type);

const saysMore = (meaning: string): boolean => /[.:;] \S/.test(meaning);

/** Removes mappings and lists that only group the keys below them. */
function withoutGroups(rows: readonly KeyRow[]): KeyRow[] {
  return rows.filter(({ key, type, fallback, meaning }, index) => {
    const next = rows[index + 1];
    const isGroup = type === "a mapping" && next !== undefined && next.key.startsWith(`${key}.`);
    const isList =
      type === "a list: each a mapping" && next !== undefined && next.key.startsWith(`${key}[].`);
    const usual = isList ? ["", "`[]`"] : ["", "required", "`{}`"];
    return !(isGroup || isList) || saysMore(meaning) || !usual.includes(fallback);
  });
}

/** Merges rows that differ only in their label, and then rows that differ in one part of their keys only. */
function merged(rows: readonly KeyRow[]): KeyRow[] {
  const byLabel = Map.groupBy(rows, ({ label: _, ...row }) => JSON.stringify(row));
  const once = [...byLabel.values()].flatMap((same) => {
    const [first] = same;
    return first === undefined
      ? []
      : [{ ...first, label: [...new Set(same.map(({ label }) => label))].join(", ") }];
  });
  const kept: KeyRow[] = [];
  for (const row of once) {
    const at = kept.findIndex((each) => joinedKey(each, row) !== undefined);
    const twin = kept[at];
    if (twin === undefined) kept.push(row);
    else kept[at] = { ...twin, key: joinedKey(twin, row) ?? twin.key };
  }
  return kept;
}

/** Returns `a.{b,c}.d` for rows with equal texts whose keys are `a.b.d` and `a.c.d`; undefined for others. */
function joinedKey(a: KeyRow, b: KeyRow): string | undefined {
  if (a.label !== b.label || a.type !== b.type || a.fallback !== b.fallback || a.meaning !== b.meaning)
    return undefined;
  const [left, right] = [a.key.split("."), b.key.split(".")];
  const different = left.flatMap((part, index) => (part === right[index] ? [] : [index]));
  const [at] = different;
  if (left.length !== right.length || different.length !== 1 || at === undefined || at === left.length - 1)
    return undefined;
  const names = (left[at] ?? "").replaceAll(/[{}]/g, "");
  return left.with(at, `{${names},${right[at]}}`).join(".");
}

const cell = (text: string): string => text.replaceAll("|", "\\|");

/** Returns the table of a page. */
export function keyTable(rows: readonly KeyRow[]): string[] {
  return [
    "| Key | Value | Meaning |",
    "|---|---|---|",
    ...merged(withoutGroups(rows)).map(({ key, label, type, fallback, meaning }) => {
      const otherwise = fallback === "" ? "" : fallback === "required" ? "; required" : `; ${fallback}`;
      const name = label === "" ? `\`${key}\`` : `\`${key}\` (${label})`;
      return `| ${name} | ${cell(`${dense(type)}${otherwise}`)} | ${cell(meaning)} |`;
    }),
  ];
}
