import { searchedText } from "../row-id.ts";
import { type Stems, wordRule } from "../words/search-words.ts";
import type { PgvectorDatabase } from "./pgvector-database.ts";
import { fromPostgresText } from "./postgres-text.ts";
import { wordVector } from "./row-values.ts";

/** Rows of one transaction. */
const rowsTogether = 200;

/** Makes the words again of rows that an older rule made, so that each question finds all rows. Several processes may do so at once. */
export async function renewWords(
  database: PgvectorDatabase,
  { id, owner }: { id: string; owner: string },
): Promise<void> {
  for (let renewedRows = rowsTogether; renewedRows === rowsTogether; ) {
    renewedRows = await database.transact(
      async (tx) => {
        const rows: { id: string; text: string }[] = await tx.unsafe(
          `select id, text from argosy_vectors.rows where collection = ${id} and words_rule < ${wordRule}
           order by id limit ${rowsTogether} for update`,
        );
        if (rows.length === 0) return 0;
        const stems: Stems = new Map();
        const renewed = rows.map((row) => ({
          id: row.id,
          words: wordVector(
            searchedText({ id: fromPostgresText(row.id), text: fromPostgresText(row.text) }),
            stems,
          ),
        }));
        await tx.unsafe(
          `update argosy_vectors.rows as r set words = renewed.words::tsvector, words_rule = ${wordRule}
           from jsonb_to_recordset($1::text::jsonb) as renewed(id text, words text)
           where r.collection = ${id} and r.id = renewed.id`,
          [JSON.stringify(renewed)],
        );
        return rows.length;
      },
      { owner },
    );
  }
}
