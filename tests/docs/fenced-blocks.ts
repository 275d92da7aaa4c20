import { readFileSync } from "node:fs";
import { join } from "node:path";

export const root = join(import.meta.dir, "../..");

/** A fenced block of a page; its info string determines how it is checked. */
export interface FencedBlock {
  page: string;
  /** The line of its opening fence. */
  line: number;
  language: string;
  /** The rest of the info string: the kind of a YAML file, or `no-run: reason`. */
  note: string;
  text: string;
}

/** Pages whose commands have a test of their own. */
const followedElsewhere = ["docs/platform.md"];

/** Returns the README and every page of docs/, in a fixed order. */
export function pages(): string[] {
  const found = [...new Bun.Glob("docs/**/*.md").scanSync({ cwd: root })].sort();
  return ["README.md", ...found.filter((page) => !followedElsewhere.includes(page))];
}

export function blocksOf(page: string, text = readFileSync(join(root, page), "utf8")): FencedBlock[] {
  const blocks: FencedBlock[] = [];
  let open: { block: FencedBlock; indent: string; fence: string; lines: string[] } | undefined;
  for (const [index, line] of text.split("\n").entries()) {
    if (open !== undefined) {
      if (line.trim() === open.fence) {
        blocks.push({ ...open.block, text: `${open.lines.join("\n")}\n` });
        open = undefined;
      } else open.lines.push(line.startsWith(open.indent) ? line.slice(open.indent.length) : line);
      continue;
    }
    const [, indent = "", fence = "", info = ""] = /^( *)(`{3,}|~{3,})(.*)$/.exec(line) ?? [];
    if (fence === "") continue;
    const [language = "", ...note] = info.trim().split(" ");
    const block = { page, line: index + 1, language, note: note.join(" "), text: "" };
    open = { block, indent, fence, lines: [] };
  }
  if (open !== undefined) throw new Error(`${page}:${open.block.line}: the block has no end`);
  return blocks;
}

export const nameOf = ({ page, line }: FencedBlock): string => `${page}:${line}`;

/** Returns the calls of `argosy` in a script, each as its arguments; placeholders such as `<id>` stay. */
export function argosyCalls(script: string): string[][] {
  return script
    .replaceAll("\\\n", " ")
    .split("\n")
    .flatMap((line) => {
      const [, call] = /^(?:\$ )?(?:[A-Z_]+=\S+ )*argosy (.*)$/.exec(line) ?? [];
      return call === undefined ? [] : [wordsOf(call)];
    });
}

/** Returns the words of a simple command without quotes; omits a comment and everything after a pipe or redirection. */
function wordsOf(call: string): string[] {
  const words: string[] = [];
  for (const [word] of call.matchAll(/(?:"(?:[^"\\]|\\.)*"|'[^']*'|[^\s"'])+/g)) {
    if (word.startsWith("#") || word === ">" || word === "|" || word === "&&") break;
    words.push(word.replaceAll(/"((?:[^"\\]|\\.)*)"|'([^']*)'/g, (_, double, single) => double ?? single));
  }
  return words;
}
