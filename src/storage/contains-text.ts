import { type Column, type SQL, sql } from "drizzle-orm";
import { isPostgres } from "./json-rows.ts";

/**
 * True if a column contains a text, whatever the case of its letters. SQLite's `lower` and `like` know the case of ASCII letters only, and
 * those of PostgreSQL depend on the database's locale, so the pattern lists each letter's cases. Accents count: `a` doesn't match `á`.
 */
export function containsText(column: Column, text: string): SQL {
  const hasRegex = isPostgres(column.table);
  const signs = Array.from(text, (sign) => {
    const cases = casesOf(sign);
    if (cases.length > 1) return `[${cases.join("")}]`;
    if (hasRegex) return /^[!-/:-@[-`{-~]$/.test(sign) ? `\\${sign}` : sign;
    return /[*?[]/.test(sign) ? `[${sign}]` : sign;
  });
  const pattern = signs.join("");
  return hasRegex ? sql`${column} ~ ${pattern}` : sql`${column} glob ${`*${pattern}*`}`;
}

const sigmas = ["Σ", "σ", "ς"];

/** The single characters that a character may be in another case. */
function casesOf(sign: string): string[] {
  if (sigmas.includes(sign)) return sigmas;
  const upper = sign.toUpperCase();
  const cases = [sign, sign.toLowerCase(), upper, upper.toLowerCase()];
  return [...new Set(cases)].filter((one) => [...one].length === 1);
}
