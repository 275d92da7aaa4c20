import { type Column, type SQL, sql } from "drizzle-orm";
import { isPostgres } from "./json-rows.ts";

/**
 * True if a column contains a text, whatever the case of its letters; `a` also finds `á`. SQLite's `lower` and `like` know the case of ASCII letters only, and
 * those of PostgreSQL depend on the database's locale, so the pattern lists the forms of each letter.
 */
export function containsText(column: Column, text: string): SQL {
  const hasRegex = isPostgres(column.table);
  const signs = Array.from(text, (sign) => {
    const cases = formsOf(sign);
    if (cases.length > 1) return `[${cases.join("")}]`;
    if (hasRegex) return /^[!-/:-@[-`{-~]$/.test(sign) ? `\\${sign}` : sign;
    return /[*?[]/.test(sign) ? `[${sign}]` : sign;
  });
  const pattern = signs.join("");
  return hasRegex ? sql`${column} ~ ${pattern}` : sql`${column} glob ${`*${pattern}*`}`;
}

const sigmas = ["Σ", "σ", "ς"];

/** Latin letters with accents, by the letter without them in lower case. */
const accented = new Map<string, string[]>();
for (const [first, last] of [
  [0xc0, 0x17f],
  [0x1ea0, 0x1ef9],
] as const) {
  for (let code = first; code <= last; code++) {
    const letter = String.fromCharCode(code);
    const plain = plainOf(letter);
    if (plain !== undefined) accented.set(plain, [...(accented.get(plain) ?? []), letter]);
  }
}

/** The letter without accents and in lower case; undefined if it isn't Latin. */
function plainOf(sign: string): string | undefined {
  const plain = sign.normalize("NFD").charAt(0).toLowerCase();
  return /^[a-z]$/.test(plain) ? plain : undefined;
}

/** The single characters that a character may stand for: one without accents also for those with. */
function formsOf(sign: string): string[] {
  return [...casesOf(sign), ...(accented.get(sign.toLowerCase()) ?? [])];
}

/** The single characters that a character may be in another case. */
function casesOf(sign: string): string[] {
  if (sigmas.includes(sign)) return sigmas;
  const upper = sign.toUpperCase();
  const cases = [sign, sign.toLowerCase(), upper, upper.toLowerCase()];
  return [...new Set(cases)].filter((one) => [...one].length === 1);
}
