import { and, eq, gte, lt, type SQL, sql } from "drizzle-orm";
import { normalized } from "../../../kit/text/normalize.ts";
import { isPostgres, jsonRows } from "../../../storage/json-rows.ts";
import { boundValue, statement } from "../../../storage/statement.ts";
import type { Query } from "../../../storage/storage.ts";
import type { DeskTables } from "./schema.ts";

/** Characters that are looked at, words of one message, and characters of one word. */
const readMax = 8192;
const wordsMax = 200;
const wordChars = 32;

/** Returns the different words of a text, without case and accents. */
export function wordsOf(text: string): string[] {
  const plain = normalized(text.slice(0, readMax), "NFKD")
    .replace(/\p{M}+/gu, "")
    // `ß` and `SS` are one, and so are the two small sigmas.
    .toUpperCase()
    .toLowerCase()
    .replaceAll("ς", "σ");
  const words = plain.match(/[\p{L}\p{N}]+/gu) ?? [];
  return [...new Set(words.map((word) => [...word].slice(0, wordChars).join("")))].slice(0, wordsMax);
}

/** Makes a message's words findable, within the transaction that stores it. */
export async function noteWords(
  tx: Query,
  tables: DeskTables,
  {
    tenantId,
    conversationId,
    text,
    at,
  }: { tenantId: string; conversationId: string; text: string; at: Date },
): Promise<void> {
  const words = wordsOf(text).sort();
  if (words.length === 0) return;
  await wordsInsert(tx, tables).execute({ words: JSON.stringify(words), tenantId, conversationId, at });
}

const wordsInsert = statement((tx: Query, { messageWords }: DeskTables) => {
  const given = jsonRows(messageWords, "words");
  const isSqlite = !isPostgres(messageWords);
  const day = isSqlite ? sql`86400000` : sql`interval '1 day'`;
  const typed = (value: SQL, type: string) => (isSqlite ? value : sql`${value}::${sql.raw(type)}`);
  return tx
    .insert(messageWords)
    .select(
      sql`select ${given.self}, ${typed(sql`${boundValue(messageWords.tenantId, "tenantId")}`, "text")}, ${typed(sql`${boundValue(messageWords.conversationId, "conversationId")}`, "text")}, ${typed(sql`${boundValue(messageWords.at, "at")}`, "timestamptz")} from ${given.from} where true`,
    )
    .onConflictDoUpdate({
      target: [messageWords.word, messageWords.tenantId, messageWords.conversationId],
      set: { at: sql`excluded.at` },
      setWhere: sql`excluded.at > ${messageWords.at} + ${day}`,
    })
    .returning({ word: messageWords.word })
    .prepare("note_words");
});

/**
 * Condition on a conversation's id: each word of `q` begins a word of its messages; one of two letters is that word. Undefined if `q` has no word. The list of conversations
 * is read from the index of the words alone.
 */
export function saysWords(
  { messageWords }: DeskTables,
  id: SQL,
  q: string,
  tenant?: string,
): SQL | undefined {
  const words = wordsOf(q).slice(0, 8);
  if (words.length === 0) return undefined;
  return and(
    ...words.map((word) => {
      const isWord = and(
        ...(isWhole(word)
          ? [eq(messageWords.word, word)]
          : [gte(messageWords.word, word), lt(messageWords.word, `${word}\u{10ffff}`)]),
        tenant === undefined ? undefined : eq(messageWords.tenantId, tenant),
      );
      return sql`${id} in (select ${messageWords.conversationId} from ${messageWords} where ${isWord})`;
    }),
  );
}

/** So few letters begin too many words, but they may be most of one in scripts that write syllables or words with a sign. */
const isWhole = (word: string): boolean => word.length < 3 && !/[\u2e80-\u{10ffff}]/u.test(word);
