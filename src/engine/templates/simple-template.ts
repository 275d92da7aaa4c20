/** Texts around variables and attributes of variables: `texts` has one more element than `paths`. */
export interface SimpleTemplate {
  texts: readonly string[];
  /** Each a variable's name and the attributes to follow from there. */
  paths: readonly Path[];
}

type Path = readonly [name: string, ...attributes: string[]];

const variable = /\{\{[ \t]*([A-Za-z_]\w*(?:\.[A-Za-z_]\w*){0,7})[ \t]*\}\}/g;

/** Names that are not variables in every position, and names of the engine's own values. */
const reserved = new Set(
  "and or not in is if elif else endif for endfor recursive true false none True False None self super loop caller".split(
    " ",
  ),
);

/**
 * Parses a template whose only tags are variables and their attributes, such as `{{ current_date }}`; undefined for any other. Most prompts are such texts, and
 * an agent with one does not load the engine (10 MB).
 */
export function parseSimple(source: string): SimpleTemplate | undefined {
  const texts: string[] = [];
  const paths: Path[] = [];
  let at = 0;
  for (const { index, 0: tag, 1: name = "" } of source.matchAll(variable)) {
    // A further brace on either side makes it another tag.
    if (source[index - 1] === "{" || source[index + tag.length] === "}") return undefined;
    const [first = "", ...attributes] = name.split(".");
    if (reserved.has(first) || attributes.some((attribute) => reserved.has(attribute))) return undefined;
    texts.push(source.slice(at, index).toWellFormed());
    paths.push([first, ...attributes]);
    at = index + tag.length;
  }
  // Jinja removes one line break at the end of a template.
  texts.push(
    source
      .slice(at)
      .replace(/\r?\n$/, "")
      .toWellFormed(),
  );
  return texts.some((text) => /\{[{%#]/.test(text)) ? undefined : { texts, paths };
}

/** Returns the text, in which missing values are empty. Undefined if another value is no text: the engine decides what then is printed. */
export function renderSimple(
  { texts, paths }: SimpleTemplate,
  variables: Record<string, unknown>,
): string | undefined {
  let text = texts[0] ?? "";
  for (const [index, path] of paths.entries()) {
    const value = valueAt(variables, path);
    if (value !== undefined && typeof value !== "string") return undefined;
    text += (value ?? "").toWellFormed() + texts[index + 1];
  }
  return text;
}

/** Returns the value at a path, undefined if there is none, or null if the engine has to look: texts and lists have attributes of its own. */
function valueAt(variables: Record<string, unknown>, path: Path): unknown {
  let value: unknown = variables;
  for (const name of path) {
    if (value === undefined) return undefined;
    if (!isPlainObject(value)) return null;
    value = Object.hasOwn(value, name) ? value[name] : undefined;
  }
  return value;
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}
