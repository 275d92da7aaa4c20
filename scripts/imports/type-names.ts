import { SyntaxKind } from "typescript/unstable/ast";
import type { SourceFile } from "./source-file.ts";
import type { Fault } from "./usage-rules.ts";

const declaring = new Set([
  SyntaxKind.TypeKeyword,
  SyntaxKind.InterfaceKeyword,
  SyntaxKind.ClassKeyword,
  SyntaxKind.EnumKeyword,
]);

/** Finds exported types whose name another file of `src` exports for a type too: a name has one home. */
export function* checkTypeNames(files: ReadonlyMap<string, SourceFile>): Generator<Fault> {
  const homes = new Map<string, string>();
  for (const [path, file] of [...files].sort(([one], [other]) => (one < other ? -1 : 1))) {
    if (!path.startsWith("src/")) continue;
    for (const { name, line } of exportedTypes(file)) {
      const home = homes.get(name);
      if (home === undefined) homes.set(name, path);
      else if (home !== path)
        yield {
          path: file.path,
          line,
          rule: `${home} exports a type named ${name}, too: choose another name`,
        };
    }
  }
}

function* exportedTypes({ tokens }: SourceFile): Generator<{ name: string; line: number }> {
  for (const [at, { kind, line }] of tokens.entries()) {
    if (kind !== SyntaxKind.ExportKeyword) continue;
    const isPrefixed = [SyntaxKind.AbstractKeyword, SyntaxKind.DeclareKeyword].includes(
      tokens[at + 1]?.kind ?? SyntaxKind.Unknown,
    );
    const [keyword, name] = tokens.slice(at + (isPrefixed ? 2 : 1));
    if (keyword !== undefined && declaring.has(keyword.kind) && name?.kind === SyntaxKind.Identifier)
      yield { name: name.text, line };
  }
}
