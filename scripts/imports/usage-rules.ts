import { SyntaxKind } from "typescript/unstable/ast";
import { folderOf } from "./import-table.ts";
import type { SourceFile, Token } from "./source-file.ts";

export interface Fault {
  path: string;
  line: number;
  rule: string;
}

/**
 * A rule about the use of names. The linter covers bare globals that may be shadowed (`fetch`, `setTimeout`), because it knows scopes
 * (noRestrictedGlobals in biome.jsonc).
 */
interface UsageRule {
  rule: string;
  covers(path: string): boolean;
  /** Returns true if the token at `at` begins a forbidden use. */
  uses(tokens: readonly Token[], at: number): boolean;
}

/** Jinja2's `random` filter has no other source. */
const chanceFiles = ["src/engine/templates/jinja/jinja-filters.ts"];

/** Folders and files that may open connections themselves; all other code gets a guarded client. */
const networkDoors = ["src/engine/tools/network/"];

/** Modules that open connections or query resolvers. Of `node:net`, only the address parsers are allowed. */
const socketModules = /^(?:node:)?(?:https?|http2|net|tls|dgram|dns|dns\/promises)$|^undici$/;
const addressReaders = ["isIP", "isIPv4", "isIPv6"];

/** Code that runs in pages alone, where tests set the browser's own clock. */
const isPageCode = (path: string) => ["console", "widget"].includes(folderOf(path) ?? "");

const rules: readonly UsageRule[] = [
  {
    rule: "time comes through the Clock (kit/clock.ts), so that a test can set it",
    covers: (path) => path.startsWith("src/") && !isPageCode(path) && path !== "src/kit/clock.ts",
    uses: (tokens, at) =>
      member(tokens, at, "Date", ["now"]) ||
      member(tokens, at, "performance", ["now"]) ||
      member(tokens, at, "Bun", ["sleep", "sleepSync", "nanoseconds"]) ||
      member(tokens, at, "AbortSignal", ["timeout"]) ||
      newDateOfNow(tokens, at),
  },
  {
    rule: "chance is an argument, handed over by compose and command, so that a test can set it",
    covers: (path) =>
      path.startsWith("src/") &&
      !["compose", "command", "widget"].includes(folderOf(path) ?? "") &&
      !chanceFiles.includes(path),
    uses: (tokens, at) => member(tokens, at, "Math", ["random"]),
  },
  {
    rule: "the environment is read in compose/load-config.ts alone",
    covers: (path) => path.startsWith("src/") && path !== "src/compose/load-config.ts",
    uses: (tokens, at) =>
      member(tokens, at, "process", ["env"]) ||
      member(tokens, at, "Bun", ["env"]) ||
      member(tokens, at, "meta", ["env"], true),
  },
  {
    rule: "engine, retrieval, channels and services open no connection of their own: take a fetch as an argument (doors: engine/tools/network, compose)",
    covers: (path) =>
      ["engine", "retrieval", "channels", "services"].includes(folderOf(path) ?? "") &&
      !networkDoors.some((door) => path.startsWith(door)),
    uses: (tokens, at) =>
      member(tokens, at, "globalThis", ["fetch"]) ||
      member(tokens, at, "Bun", ["fetch", "FetchSession", "connect", "udpSocket", "dns"]) ||
      importsSockets(tokens, at),
  },
  {
    rule: "commands print through the screen (cli/terminal/screen.ts), which makes control characters harmless",
    covers: (path) => path.startsWith("src/cli/") && !path.startsWith("src/cli/terminal/"),
    uses: (tokens, at) =>
      (is(tokens[at], "console") && isReference(tokens, at) && is(tokens[at + 1], ".", "?.")) ||
      member(tokens, at, "process", ["stdout", "stderr"]) ||
      member(tokens, at, "Bun", ["stdout", "stderr", "write"]) ||
      (is(tokens[at], "stdout", "stderr") &&
        is(tokens[at + 1], ".", "?.") &&
        is(tokens[at + 2], "write", "end")),
  },
  {
    rule: "queries are awaited, never ended by .get(), .all() or .run(): those exist on one of the two engines only",
    covers: (path) =>
      ["services", "channels", "storage"].includes(folderOf(path) ?? "") &&
      !path.startsWith("src/storage/sqlite/"),
    uses: (tokens, at) =>
      ["get", "all", "run"].includes(tokens[at]?.text ?? "") &&
      is(tokens[at - 1], ".", "?.") &&
      is(tokens[at + 1], "(") &&
      is(tokens[at + 2], ")"),
  },
];

/** Returns the forbidden uses in one file, in order. */
export function findForbiddenUses(file: SourceFile): Fault[] {
  const covering = rules.filter((rule) => rule.covers(file.path));
  return file.tokens.flatMap((token, at) =>
    covering
      .filter((rule) => rule.uses(file.tokens, at))
      .map(({ rule }) => ({ path: file.path, line: token.line, rule })),
  );
}

/** Returns the uses of globals that browsers lack. */
export function findServerGlobals(file: SourceFile): { name: string; line: number }[] {
  return file.tokens.flatMap((token, at) =>
    ["Bun", "process", "Buffer", "__dirname", "__filename", "setImmediate"].includes(token.text) &&
    isReference(file.tokens, at)
      ? [{ name: token.text, line: token.line }]
      : [],
  );
}

/** Returns true for a name that is a variable: not a property, nor a key of an object or a type. */
const isReference = (tokens: readonly Token[], at: number) =>
  tokens[at]?.kind === SyntaxKind.Identifier &&
  !is(tokens[at - 1], ".", "?.") &&
  !is(tokens[at + 1], ":", "?:");

const is = (token: Token | undefined, ...texts: string[]) =>
  token !== undefined &&
  token.kind !== SyntaxKind.StringLiteral &&
  token.kind !== SyntaxKind.NoSubstitutionTemplateLiteral &&
  texts.includes(token.text);

/** Returns true for `object.name` with one of the names, if `object` is a variable (or, with `anywhere`, also a property). */
const member = (tokens: readonly Token[], at: number, object: string, names: string[], anywhere = false) =>
  is(tokens[at], object) &&
  (anywhere || isReference(tokens, at)) &&
  is(tokens[at + 1], ".", "?.") &&
  names.includes(tokens[at + 2]?.text ?? "");

/**
 * Returns true for `from "node:http"`, `import "node:tls"`, `import("node:net")`, `require("dns")`. Type imports are ignored, because they
 * are erased.
 */
function importsSockets(tokens: readonly Token[], at: number): boolean {
  const module = tokens[at];
  if (module?.kind !== SyntaxKind.StringLiteral || !socketModules.test(module.text)) return false;
  if (is(tokens[at - 1], "(")) return is(tokens[at - 2], "import", "require");
  if (is(tokens[at - 1], "import")) return true;
  if (!is(tokens[at - 1], "from")) return false;
  let start = at - 2;
  while (start >= 0 && !is(tokens[start], "import", "export")) start--;
  const names = tokens.slice(start + 1, at - 1).filter(({ kind }) => kind === SyntaxKind.Identifier);
  const isTypeOnly = is(tokens[start + 1], "type") && !is(tokens[start + 2], "from", ",");
  return !isTypeOnly && (names.length === 0 || !names.every(({ text }) => addressReaders.includes(text)));
}

/** Returns true for `new Date()` and `new Date`; with an argument, it is a conversion. */
const newDateOfNow = (tokens: readonly Token[], at: number) =>
  is(tokens[at - 1], "new") &&
  is(tokens[at], "Date") &&
  (!is(tokens[at + 1], "(") || is(tokens[at + 2], ")"));
