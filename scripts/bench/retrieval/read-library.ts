import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";

/** A document of the library: its parts, and the questions that they answer. */
export interface LibraryDocument {
  id: string;
  language: string;
  kind: string;
  title: string;
  source: string;
  sections: readonly { heading: string | undefined; lines: readonly string[] }[];
  questions: readonly { query: string; contains: string }[];
}

/**
 * Reads the library: per language a file of documents. A document begins with `== kind | title | source`; `# ` begins a section, other lines
 * are paragraphs or, in tables, rows with `|` between cells; `? question | words of the answer` ends it.
 */
export function readLibrary(folder = join(import.meta.dir, "library")): LibraryDocument[] {
  return readdirSync(folder)
    .sort()
    .flatMap((name) => {
      const language = basename(name, ".txt");
      const [, ...parts] = readFileSync(join(folder, name), "utf8").split(/^== /m);
      return parts.map((part) => readDocument(part, language));
    });
}

function readDocument(part: string, language: string): LibraryDocument {
  const [head = "", ...lines] = part.trimEnd().split("\n");
  const [kind = "", title = "", source = ""] = head.split(" | ");
  const sections: { heading: string | undefined; lines: string[] }[] = [];
  const questions: { query: string; contains: string }[] = [];
  for (const line of lines) {
    if (line.startsWith("? ")) {
      const bar = line.lastIndexOf(" | ");
      questions.push({ query: line.slice(2, bar), contains: line.slice(bar + 3) });
    } else if (line.startsWith("# ")) sections.push({ heading: line.slice(2), lines: [] });
    else {
      if (sections.length === 0) sections.push({ heading: undefined, lines: [] });
      sections.at(-1)?.lines.push(line);
    }
  }
  return { id: `${language}/${kind}.${kind}`, language, kind, title, source, sections, questions };
}
