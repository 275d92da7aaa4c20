import { SyntaxKind } from "typescript/unstable/ast";
import { createScanner, type Scanner } from "typescript/unstable/ast/scanner";

export interface Token {
  kind: SyntaxKind;
  /** The name or sign as written; the value of a string. */
  text: string;
  line: number;
}

export interface ImportEdge {
  /** The text between the quotes; undefined if it is computed. */
  specifier: string | undefined;
  line: number;
  /** Erased by the compiler: `import type`, `export type … from`. */
  typeOnly: boolean;
}

/** A source file for the rules: its path from the repository's root with `/`, its tokens and its imports. */
export interface SourceFile {
  path: string;
  tokens: readonly Token[];
  imports: readonly ImportEdge[];
}

/** After these, a slash is a division; anywhere else it begins a regular expression. */
const endsOperand = new Set([
  SyntaxKind.Identifier,
  SyntaxKind.PrivateIdentifier,
  SyntaxKind.NumericLiteral,
  SyntaxKind.BigIntLiteral,
  SyntaxKind.StringLiteral,
  SyntaxKind.NoSubstitutionTemplateLiteral,
  SyntaxKind.TemplateTail,
  SyntaxKind.CloseParenToken,
  SyntaxKind.CloseBracketToken,
  SyntaxKind.CloseBraceToken,
  SyntaxKind.ThisKeyword,
  SyntaxKind.SuperKeyword,
  SyntaxKind.TrueKeyword,
  SyntaxKind.FalseKeyword,
  SyntaxKind.NullKeyword,
]);

const isString = (token: Token | undefined) =>
  token?.kind === SyntaxKind.StringLiteral || token?.kind === SyntaxKind.NoSubstitutionTemplateLiteral;

/**
 * Reads a file with the compiler's own scanner, so that comments, strings and regular expressions are never mistaken for code. It is not a
 * parser: text between JSX tags is read as code, and a regular expression directly after `)` or `}` as a division.
 */
export function readSource(path: string, text: string): SourceFile {
  const tokens = tokenize(text);
  return { path, tokens, imports: findImports(tokens) };
}

function tokenize(text: string): Token[] {
  const scanner = createScanner(true, undefined, text);
  const lineStarts = findLineStarts(text);
  const tokens: Token[] = [];
  /** For each open `${`, the number of braces open around it. */
  const templates: number[] = [];
  let braces = 0;
  let line = 0;
  for (let kind = scanner.scan(); kind !== SyntaxKind.EndOfFile; kind = scanner.scan()) {
    if (kind === SyntaxKind.SlashToken || kind === SyntaxKind.SlashEqualsToken) {
      const previous = tokens.at(-1);
      if (!previous || !endsOperand.has(previous.kind)) kind = scanner.reScanSlashToken();
    } else if (kind === SyntaxKind.TemplateHead) {
      templates.push(braces);
    } else if (kind === SyntaxKind.OpenBraceToken) {
      braces++;
    } else if (kind === SyntaxKind.CloseBraceToken) {
      if (templates.at(-1) === braces) {
        kind = scanner.reScanTemplateToken(false);
        if (kind === SyntaxKind.TemplateTail) templates.pop();
      } else braces--;
    }
    while ((lineStarts[line + 1] ?? Number.POSITIVE_INFINITY) <= scanner.getTokenStart()) line++;
    tokens.push({ kind, text: textOf(scanner, kind), line: line + 1 });
  }
  return tokens;
}

const textOf = (scanner: Scanner, kind: SyntaxKind) =>
  kind === SyntaxKind.StringLiteral || kind === SyntaxKind.NoSubstitutionTemplateLiteral
    ? scanner.getTokenValue()
    : scanner.getTokenText();

function findLineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}

function findImports(tokens: readonly Token[]): ImportEdge[] {
  const found: ImportEdge[] = [];
  tokens.forEach((token, at) => {
    if (tokens[at - 1]?.text === "." && !isString(tokens[at - 1])) return;
    const next = tokens[at + 1];
    if (token.kind === SyntaxKind.ImportKeyword || token.kind === SyntaxKind.RequireKeyword) {
      if (next?.kind === SyntaxKind.OpenParenToken) {
        const argument = tokens[at + 2];
        found.push({
          specifier: isString(argument) ? argument?.text : undefined,
          line: token.line,
          typeOnly: false,
        });
      } else if (token.kind === SyntaxKind.ImportKeyword && next?.kind !== SyntaxKind.DotToken) {
        const typeOnly =
          next?.text === "type" && tokens[at + 2]?.text !== "from" && tokens[at + 2]?.text !== ",";
        pushStatement(at, typeOnly);
      }
    } else if (token.kind === SyntaxKind.ExportKeyword) {
      const typeOnly = next?.text === "type";
      const opening = tokens[typeOnly ? at + 2 : at + 1]?.kind;
      if (opening === SyntaxKind.AsteriskToken || opening === SyntaxKind.OpenBraceToken) {
        pushStatement(at, typeOnly);
      }
    } else if (token.text === "URL" && next?.kind === SyntaxKind.OpenParenToken) {
      // new URL("./worker.ts", import.meta.url): the name of a worker or an asset.
      const isModuleUrl = isString(tokens[at + 2]) && tokens[at + 4]?.kind === SyntaxKind.ImportKeyword;
      if (isModuleUrl) found.push({ specifier: tokens[at + 2]?.text, line: token.line, typeOnly: false });
    }
  });
  return found;

  /** Adds the statement's source: the string after `from`, or directly after a bare `import`. `export { a };` has none. */
  function pushStatement(at: number, typeOnly: boolean) {
    let end = at + 1;
    if (!isString(tokens[end])) {
      while (end < tokens.length && tokens[end]?.kind !== SyntaxKind.FromKeyword) {
        if (tokens[end]?.kind === SyntaxKind.SemicolonToken || isString(tokens[end])) return;
        if (
          tokens[end]?.kind === SyntaxKind.CloseBraceToken &&
          tokens[end + 1]?.kind !== SyntaxKind.FromKeyword
        )
          return;
        end++;
      }
      end++;
    }
    const source = tokens[end];
    if (isString(source)) found.push({ specifier: source?.text, line: source?.line ?? 0, typeOnly });
  }
}
