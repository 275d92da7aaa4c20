import { readFileSync, statSync } from "node:fs";
import { join, posix } from "node:path";
import { SyntaxKind } from "typescript/unstable/ast";
import { readSource } from "../imports/source-file.ts";

/** Files and folders of a repository that its source files name. */
export interface ImportReach {
  /** Returns all that `file` reaches, itself included; a folder ends with a slash. Files that `isOpen` refuses are reached, but not read. */
  from(file: string, isOpen?: (file: string) => boolean): ReadonlySet<string>;
}

/**
 * Reads which files reach which by run-time imports and by relative paths in quotes (`join(import.meta.dir, "../../agents")`,
 * `"kill-child.ts"`): a test reads or starts those. A path to the root or to a whole top folder of code says nothing, and is left out.
 * Computed names are not seen.
 */
export function importReach(root: string): ImportReach {
  const named = new Map<string, readonly string[]>();
  const targetsOf = (file: string) => {
    const known = named.get(file);
    if (known !== undefined) return known;
    const found = findTargets(root, file);
    named.set(file, found);
    return found;
  };
  return {
    from(file, isOpen = () => true) {
      const reached = new Set([file]);
      const queue = [file];
      for (let at = queue.pop(); at !== undefined; at = queue.pop()) {
        if (!isOpen(at)) continue;
        for (const target of targetsOf(at)) {
          if (reached.has(target)) continue;
          reached.add(target);
          queue.push(target);
        }
      }
      return reached;
    },
  };
}

const silentFolders = new Set(["", "src/", "tests/", "scripts/", "node_modules/"]);

function findTargets(root: string, file: string): string[] {
  if (!/\.[cm]?[jt]sx?$/.test(file)) return [];
  const { tokens, imports } = readSource(file, readFileSync(join(root, file), "utf8"));
  const erased = new Set(imports.filter(({ typeOnly }) => typeOnly).map(({ specifier }) => specifier));
  for (const { typeOnly, specifier } of imports) if (!typeOnly) erased.delete(specifier);
  const targets = new Set<string>();
  for (const { kind, text } of tokens) {
    if (kind !== SyntaxKind.StringLiteral && kind !== SyntaxKind.NoSubstitutionTemplateLiteral) continue;
    if (
      erased.has(text) ||
      !/^[\w./-]+$/.test(text) ||
      !(text.startsWith(".") || /\.[cm]?[jt]sx?$/.test(text))
    )
      continue;
    const path = posix.join(posix.dirname(file), text);
    if (path.startsWith("..")) continue;
    const found = statSync(join(root, path), { throwIfNoEntry: false });
    const target = found?.isDirectory() ? posix.join(path, "/").replace(/^\.\//, "") : path;
    if (found !== undefined && !silentFolders.has(target)) targets.add(target);
  }
  return [...targets];
}

/** True if a set of `ImportReach.from` has the file, or a folder that it lies in. */
export function reaches(reached: ReadonlySet<string>, file: string): boolean {
  if (reached.has(file)) return true;
  for (let at = file.lastIndexOf("/"); at > 0; at = file.lastIndexOf("/", at - 1))
    if (reached.has(file.slice(0, at + 1))) return true;
  return false;
}
