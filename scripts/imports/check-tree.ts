import { existsSync, readFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { join, posix } from "node:path";
import type { ToleratedArrows } from "./import-table.ts";
import { browserFolders, folderOf, importsUsersCode, refusal } from "./import-table.ts";
import { checkNounBorders } from "./noun-borders.ts";
import { readSource, type SourceFile } from "./source-file.ts";
import { checkTypeNames } from "./type-names.ts";
import { type Fault, findForbiddenUses, findServerGlobals } from "./usage-rules.ts";

export interface TreeReport {
  filesRead: number;
  faults: Fault[];
}

/**
 * Checks every TypeScript file under `src` and `desktop` of the repository at `root` against the project rules. `tolerated` are arrows
 * between nouns that may still stand.
 */
export function checkTree(root: string, tolerated: ToleratedArrows = {}): TreeReport {
  const files = readTree(root);
  const faults = [...files.values()].flatMap((file) => [
    ...checkImports(root, file),
    ...findForbiddenUses(file),
  ]);
  faults.push(...checkBrowserFolders(files), ...checkNounBorders(files, tolerated), ...checkTypeNames(files));
  faults.sort((a, b) => a.path.localeCompare(b.path) || a.line - b.line);
  return { filesRead: files.size, faults };
}

function readTree(root: string): Map<string, SourceFile> {
  const files = new Map<string, SourceFile>();
  for (const top of ["src", "desktop"]) {
    if (!existsSync(join(root, top))) continue;
    for (const name of new Bun.Glob("**/*.{ts,tsx}").scanSync({ cwd: join(root, top) })) {
      const path = `${top}/${name.replaceAll("\\", "/")}`;
      if (/^desktop\/(node_modules|dist)\//.test(path)) continue;
      files.set(path, readSource(path, readFileSync(join(root, path), "utf8")));
    }
  }
  return files;
}

function* checkImports(root: string, file: SourceFile): Generator<Fault> {
  const fault = (line: number, rule: string): Fault => ({ path: file.path, line, rule });
  for (const { specifier, line } of file.imports) {
    if (specifier === undefined) {
      if (file.path === importsUsersCode) continue;
      yield fault(line, "an import names its file in quotes, or it can be neither checked nor bundled");
    } else if (specifier.startsWith("/") || specifier.startsWith("src/")) {
      yield fault(line, `"${specifier}": our own files are imported by a relative path`);
    } else if (specifier.startsWith(".")) {
      const target = resolve(file.path, specifier);
      const rule = refusal(file.path, target);
      if (rule) yield fault(line, rule);
      else if (!existsSync(join(root, target))) yield fault(line, `"${specifier}" is not a file`);
    }
  }
}

/** Follows the run-time imports of the folders that run in browsers: none of them may need a server. */
function* checkBrowserFolders(files: ReadonlyMap<string, SourceFile>): Generator<Fault> {
  const reachedFrom = new Map<string, string>();
  const queue: string[] = [];
  const reach = (path: string, from: string) => {
    if (reachedFrom.has(path)) return;
    reachedFrom.set(path, from);
    queue.push(path);
  };
  for (const path of files.keys()) if (browserFolders.has(folderOf(path) ?? "")) reach(path, path);

  for (let path = queue.shift(); path !== undefined; path = queue.shift()) {
    const file = files.get(path);
    if (!file) continue;
    const from = reachedFrom.get(path) ?? path;
    const where = from === path ? "" : ` (${from} loads this file)`;
    for (const { specifier, line, typeOnly } of file.imports) {
      // Types are erased; but a file in these folders itself must also compile without the server's types.
      if (specifier === undefined || (typeOnly && from !== path)) continue;
      if (specifier.startsWith(".")) {
        if (!typeOnly) reach(resolve(path, specifier), from);
      } else if (isServerModule(specifier)) {
        yield { path, line, rule: `contracts and manifest run in a browser: no "${specifier}"${where}` };
      }
    }
    for (const { name, line } of findServerGlobals(file))
      yield {
        path,
        line,
        rule: `contracts and manifest run in a browser, where ${name} does not exist${where}`,
      };
  }
}

const isServerModule = (specifier: string) =>
  specifier === "bun" || /^(bun|node):/.test(specifier) || builtinModules.includes(specifier);

const resolve = (from: string, specifier: string) => posix.join(posix.dirname(from), specifier);
