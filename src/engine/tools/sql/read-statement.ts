import { sqlRefused } from "./sql-fault.ts";

export type SqlDialect = "sqlite" | "postgres";

/** One statement, as far as it can be told without knowing the database. */
export interface Statement {
  /** Without what ends it: no `;` follows. */
  text: string;
  /** Keywords and names in lower case, quoted ones too; never what stands in strings and comments. */
  words: readonly string[];
  /** How many values its placeholders ask for: `?` and `?2` in SQLite, `$2` in PostgreSQL. */
  parameters: number;
}

/** Reads SQL that must be one statement; throws AppError `sql_refused` where it is none, or more, or can't be told apart. */
export function readStatement(sql: string, dialect: SqlDialect): Statement {
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
 * Goes over the text once and forward only. It reads quotes and comments as the engine does; where settings of the server
 * could make it read them differently, it refuses.
 */
class StatementScan {
  readonly #sql: string;
  readonly #dialect: SqlDialect;
  readonly #words: string[] = [];
  #at = 0;
  /** Where the statement ended: at its first `;`. */
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

  finish(): Statement {
    if (this.#isEmpty) throw empty();
    if (this.#dialect === "postgres" && this.#depth !== 0) throw unbalanced();
    if (this.#hasEscapeString && this.#hasBackslashAtQuote) {
      throw sqlRefused("Write a quote inside of a string as '' and not after a backslash.");
    }
    return {
      text: this.#sql.slice(0, this.#end),
      words: this.#words,
      parameters: this.#parameters,
    };
  }

  #readSign(char: string): void {
    const close = this.#closingOf(char);
    if (char === "'") this.#skipString();
    else if (close !== undefined) this.#readQuotedName(close);
    else if (this.#dialect === "postgres" && char === "$") this.#readDollar();
    else {
      this.#countParenthesis(char);
      if (this.#dialect === "sqlite") this.#readSqlitePlaceholder(char);
      this.#at++;
    }
  }

  /** What ends the quoted name that begins here. */
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
    const found = this.#match(word);
    if (found === undefined) return false;
    this.#words.push(found.toLowerCase());
    if (this.#dialect === "sqlite") return true;
    const next = this.#sql[this.#at];
    if (/^e$/i.test(found) && next === "'") this.#hasEscapeString = true;
    if (/^u$/i.test(found) && next === "&" && this.#sql[this.#at + 1] === '"') {
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
    const start = this.#at + 1;
    const end = this.#endOfQuotes(close);
    this.#at = end;
    const name = this.#sql.slice(start, end - 1).replaceAll(close + close, close);
    this.#words.push(name.toLowerCase());
  }

  /** Behind the quotes that open here; a doubled one inside stands for itself. */
  #endOfQuotes(close: string): number {
    let at = this.#at + 1;
    for (;;) {
      const found = this.#sql.indexOf(close, at);
      if (found === -1) throw sqlRefused("A quote in the query is not closed.");
      if (close === "]" || this.#sql[found + 1] !== close) return found + 1;
      at = found + 2;
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

  /** `$1`, or a string between `$tag$` marks. */
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
    const found = pattern.exec(this.#sql)?.[0];
    if (found !== undefined) this.#at += found.length;
    return found;
  }
}

const empty = () => sqlRefused("The query is empty; write one statement.");
const unbalanced = () => sqlRefused("The parentheses of the query don't match.");
