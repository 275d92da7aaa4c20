import { type Column, type SQL, sql } from "drizzle-orm";
import { withoutAccents } from "../kit/text/fold-letters.ts";
import { isPostgres } from "./json-rows.ts";

/**
 * True if a column contains a text, whatever the case and the accents of its letters. SQLite's `lower` and `like` know the case of ASCII
 * letters only, and those of PostgreSQL depend on the database's locale, so the pattern lists the forms of each letter.
 */
export function containsText(column: Column, text: string): SQL {
  const hasRegex = isPostgres(column.table);
  const signs = Array.from(withoutAccents(text), (sign) => {
    const forms = formsOf(sign);
    if (forms.length > 1) return `[${forms.join("")}]`;
    if (hasRegex) return /^[!-/:-@[-`{-~]$/.test(sign) ? `\\${sign}` : sign;
    return /[*?[]/.test(sign) ? `[${sign}]` : sign;
  });
  const pattern = signs.join("");
  return hasRegex ? sql`${column} ~ ${pattern}` : sql`${column} glob ${`*${pattern}*`}`;
}

/** Blocks with letters that have an accent: Latin, Greek and Cyrillic. */
const accented = [
  [0xc0, 0x24f],
  [0x370, 0x52f],
  [0x1e00, 0x1fff],
] as const;

/** The letters with accents, by the letter without them. */
const accentedForms: ReadonlyMap<string, string[]> = Map.groupBy(
  accented
    .flatMap(([first, last]) => Array.from({ length: last - first + 1 }, (_, at) => first + at))
    .map((code) => String.fromCodePoint(code))
    .filter((sign) => withoutAccents(sign) !== sign),
  withoutAccents,
);

const sigmas = ["Σ", "σ", "ς"];

/** The single characters that a character may be in another case or with an accent. */
function formsOf(sign: string): string[] {
  const cases = sigmas.includes(sign) ? sigmas : casesOf(sign);
  return [...new Set(cases.flatMap((one) => [one, ...(accentedForms.get(one) ?? [])]))];
}

function casesOf(sign: string): string[] {
  const upper = sign.toUpperCase();
  const cases = [sign, sign.toLowerCase(), upper, upper.toLowerCase()];
  return cases.filter((one) => [...one].length === 1);
}
