import { join } from "node:path";
import type { Page } from "playwright-core";

const folder = join(import.meta.dir, "../../src/console/texts");
/** Stands for a value in a text. */
const value = "\u0001";

/** Returns the texts of one language, those with values as their parts around the values. */
async function textsIn(language: "en" | "es"): Promise<string[][]> {
  const place = language === "en" ? folder : join(folder, language);
  const paths = [...new Bun.Glob("**/*.ts").scanSync({ cwd: place })].filter(
    (path) => !path.startsWith("es/") && path !== "isolated.ts" && path !== "counted.ts",
  );
  const modules = await Promise.all(paths.map((path) => import(join(place, path))));
  return modules.flatMap((module) => Object.values(module)).flatMap(leavesOf);
}

function leavesOf(text: unknown): string[][] {
  if (typeof text === "string") return [[text]];
  if (typeof text === "object" && text !== null) return Object.values(text).flatMap(leavesOf);
  if (typeof text !== "function") return [];
  try {
    const filled: unknown = text(...Array.from({ length: text.length }, () => value));
    return typeof filled === "string" ? [filled.split(value)] : leavesOf(filled);
  } catch {
    // It takes values of another shape.
    return [];
  }
}

/** One word beside a value is not enough to know a text by. */
const wordsOf = (parts: readonly string[]) => parts.join(" ").match(/\p{L}{3,}/gu)?.length ?? 0;

const escaped = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** Returns patterns of the console's English texts that have words and are not Spanish ones too. */
export async function englishPatterns(): Promise<string[]> {
  const [english, spanish] = await Promise.all([textsIn("en"), textsIn("es")]);
  const known = new Set(spanish.map((parts) => parts.join(value).toLowerCase()));
  const own = english.filter(
    (parts) => wordsOf(parts) >= (parts.length === 1 ? 1 : 2) && !known.has(parts.join(value).toLowerCase()),
  );
  return [...new Set(own.map((parts) => `^${parts.map(escaped).join("\\S+")}$`))];
}

/** Returns what the page shows, names or hints at in English: texts of the console, not these words of its data. */
export async function englishOn(
  page: Page,
  patterns: readonly string[],
  data: readonly string[],
): Promise<string[]> {
  const found = await page.evaluate((sources) => {
    const all = sources.map((source) => new RegExp(source, "s"));
    const found = new Set<string>();
    const look = (text: string | null) => {
      const plain = text?.trim() ?? "";
      if (plain !== "" && all.some((pattern) => pattern.test(plain))) found.add(plain);
    };
    const code = "code, pre, .ar-mono, .cm-editor";
    for (const element of document.querySelectorAll("body *")) {
      if (element.closest(code) !== null || element instanceof SVGElement) continue;
      for (const name of ["aria-label", "title", "placeholder"]) look(element.getAttribute(name));
      for (const node of element.childNodes) if (node.nodeType === Node.TEXT_NODE) look(node.textContent);
    }
    return [...found];
  }, patterns);
  return found.filter((text) => !data.includes(text));
}
