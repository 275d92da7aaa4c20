import { sqlRefused } from "./sql-fault.ts";

export type SqlDialect = "sqlite" | "postgres";

/** One statement, parsed as far as possible without knowing the database. */
export interface SqlStatement {
  /** The text without a final `;`. */
  text: string;
  /** Keywords and names in lower case, including quoted ones; never words in strings and comments. */
  words: readonly string[];
  /** Number of values that its placeholders need: `?` and `?2` in SQLite, `$2` in PostgreSQL. */
  parameters: number;
  /** Words, quoted names and signs outside of all parentheses, whose contents are left out. */
  outer: readonly OuterToken[];
}

/** A word in lower case, `"` for a quoted name, or a sign such as `(`. */
export interface OuterToken {
  text: string;
  /** Position in the statement's text. */
  at: number;
}

/** Parses SQL that must be exactly one statement; throws AppError `sql_refused` if it is not, or if that is unclear. */
export function readStatement(sql: string, dialect: SqlDialect): SqlStatement {
  if (sql.includes("\0")) throw sqlRefused("The query contains a NUL character; leave it out.");
  const scan = new StatementScan(sql, dialect);
  while (!scan.ended) scan.step();
  return scan.finish();
}

const blank = /[ \t\n\r\f\v]+/y;
const word = /[A-Za-z_\x80-\uffff][A-Za-z0-9_$\x80-\uffff]*/y;
const digits = /[0-9]+/y;
const dollarTag = /\$(?:[A-Za-z_\x80-\uffff][A-Za-z0-9_\x80-\uffff]*)?\$/y;
const commentMark = /\/\*|\*\//g;
const lineEnd = { sqlite: /\n/g, postgres: /[\r\n]/g } as const;

/**
 * Scans the text once, forward only. It reads quotes and comments as the engine does, and refuses text that server settings could make the
 * engine read differently.
 */
class StatementScan {
  readonly #sql: string;
  readonly #dialect: SqlDialect;
  readonly #words: string[] = [];
  readonly #outer: OuterToken[] = [];
  #at = 0;
  /** End of the statement: its first `;`. */
  #end: number | undefined;
  #depth = 0;
  #parameters = 0;
  #isEmpty = true;
  #hasEscapeString = false;
  #hasBackslashAtQuote = false;

  constructor(sql: string, dialect: SqlDialect) {
    this.#sql = sql;
    this.#dialect = dialect;
  }

  get ended(): boolean {
    return this.#at >= this.#sql.length;
  }

  step(): void {
    if (this.#skip(blank) || this.#skipComment()) return;
    const char = this.#sql[this.#at] ?? "";
    if (char === ";") {
      this.#end ??= this.#at;
      this.#at++;
      return;
    }
    if (this.#end !== undefined && !this.#isEmpty) {
      throw sqlRefused("Only one statement can be run in a call; make several calls.");
    }
    if (this.#end !== undefined) throw empty();
    this.#isEmpty = false;
    if (!this.#readWord() && !this.#skip(digits)) this.#readSign(char);
  }

  finish(): SqlStatement {
    if (this.#isEmpty) throw empty();
    if (this.#dialect === "postgres" && this.#depth !== 0) throw unbalanced();
    if (this.#hasEscapeString && this.#hasBackslashAtQuote) {
      throw sqlRefused("Write a quote inside of a string as '' and not after a backslash.");
    }
    return {
      text: this.#sql.slice(0, this.#end),
      words: this.#words,
      parameters: this.#parameters,
      outer: this.#outer,
    };
  }

  #readSign(char: string): void {
    const close = this.#closingOf(char);
    if (char === "'") this.#skipString();
    else if (close !== undefined) this.#readQuotedName(close);
    else if (this.#dialect === "postgres" && char === "$") this.#readDollar();
    else {
      if (char !== ")") this.#noteOuter(char);
      this.#countParenthesis(char);
      if (char === ")") this.#noteOuter(char);
      if (this.#dialect === "sqlite") this.#readSqlitePlaceholder(char);
      this.#at++;
    }
  }

  #noteOuter(text: string, at = this.#at): void {
    if (this.#depth === 0) this.#outer.push({ text, at });
  }

  /** The character that closes the quoted name beginning here. */
  #closingOf(char: string): string | undefined {
    if (char === '"') return char;
    if (this.#dialect === "postgres") return undefined;
    return { "`": "`", "[": "]" }[char];
  }

  #countParenthesis(char: string): void {
    if (char === "(") this.#depth++;
    if (char === ")") this.#depth--;
    if (this.#depth < 0 && this.#dialect === "postgres") throw unbalanced();
  }

  #readWord(): boolean {
    const at = this.#at;
    const match = this.#match(word);
    if (match === undefined) return false;
    this.#words.push(match.toLowerCase());
    this.#noteOuter(match.toLowerCase(), at);
    if (this.#dialect === "sqlite") return true;
    const next = this.#sql[this.#at];
    if (/^e$/i.test(match) && next === "'") this.#hasEscapeString = true;
    if (/^u$/i.test(match) && next === "&" && this.#sql[this.#at + 1] === '"') {
      throw sqlRefused('Names in the form U&"…" are not accepted; write them plainly.');
    }
    return true;
  }

  #skipString(): void {
    const end = this.#endOfQuotes("'");
    if (this.#sql.slice(this.#at, end).includes("\\'")) this.#hasBackslashAtQuote = true;
    this.#at = end;
  }

  #readQuotedName(close: string): void {
    this.#noteOuter('"');
    const start = this.#at + 1;
    const end = this.#endOfQuotes(close);
    this.#at = end;
    const name = this.#sql.slice(start, end - 1).replaceAll(close + close, close);
    this.#words.push(name.toLowerCase());
  }

  /** Position after the quotes that open here; a doubled quote inside is part of the text. */
  #endOfQuotes(close: string): number {
    let at = this.#at + 1;
    for (;;) {
      const closeAt = this.#sql.indexOf(close, at);
      if (closeAt === -1) throw sqlRefused("A quote in the query is not closed.");
      if (close === "]" || this.#sql[closeAt + 1] !== close) return closeAt + 1;
      at = closeAt + 2;
    }
  }

  #readSqlitePlaceholder(char: string): void {
    if (char === ":" || char === "@" || char === "$" || char === "#") {
      throw sqlRefused("Placeholders must be written as ? and their values given in params, in order.");
    }
    if (char !== "?") return;
    digits.lastIndex = this.#at + 1;
    const number = digits.exec(this.#sql)?.[0];
    if (number !== undefined) this.#at += number.length;
    this.#asksFor(number === undefined ? this.#parameters + 1 : Number(number));
  }

  /** Reads `$1`, or a string between `$tag$` marks. */
  #readDollar(): void {
    const tag = this.#match(dollarTag);
    if (tag !== undefined) {
      const end = this.#sql.indexOf(tag, this.#at);
      if (end === -1) throw sqlRefused("A quote in the query is not closed.");
      this.#at = end + tag.length;
      return;
    }
    this.#at++;
    const number = this.#match(digits);
    if (number !== undefined) this.#asksFor(Number(number));
  }

  #asksFor(number: number): void {
    if (number < 1 || number > 1000) throw sqlRefused("Placeholders are numbered from 1 to 1000.");
    this.#parameters = Math.max(this.#parameters, number);
  }

  #skipComment(): boolean {
    if (this.#sql.startsWith("--", this.#at)) {
      const end = lineEnd[this.#dialect];
      end.lastIndex = this.#at;
      this.#at = end.exec(this.#sql)?.index ?? this.#sql.length;
      return true;
    }
    if (!this.#sql.startsWith("/*", this.#at)) return false;
    this.#at = this.#dialect === "sqlite" ? this.#endOfComment() : this.#endOfNestedComment();
    return true;
  }

  #endOfComment(): number {
    const end = this.#sql.indexOf("*/", this.#at + 2);
    return end === -1 ? this.#sql.length : end + 2;
  }

  #endOfNestedComment(): number {
    let depth = 0;
    commentMark.lastIndex = this.#at;
    for (let mark = commentMark.exec(this.#sql); mark !== null; mark = commentMark.exec(this.#sql)) {
      depth += mark[0] === "/*" ? 1 : -1;
      if (depth === 0) return commentMark.lastIndex;
    }
    throw sqlRefused("A comment in the query is not closed.");
  }

  #skip(pattern: RegExp): boolean {
    return this.#match(pattern) !== undefined;
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const token = pattern.exec(this.#sql)?.[0];
    if (token !== undefined) this.#at += token.length;
    return token;
  }
}

const empty = () => sqlRefused("The query is empty; write one statement.");
const unbalanced = () => sqlRefused("The parentheses of the query don't match.");
