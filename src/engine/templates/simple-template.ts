/** Texts around variables: `texts` has one more element than `names`. */
export interface SimpleTemplate {
  texts: readonly string[];
  names: readonly string[];
}

const variable = /\{\{[ \t]*([A-Za-z_]\w*)[ \t]*\}\}/g;

/** Names that are not variables in every position, and names of the engine's own values. */
const reserved = new Set(
  "and or not in is if elif else endif for endfor recursive true false none True False None self super loop caller".split(
    " ",
  ),
);

/**
 * Parses a template whose only tags are variables, such as `{{ current_date }}`; undefined for any other. Most prompts are such texts, and
 * an agent with one does not load the engine (10 MB).
 */
export function parseSimple(source: string): SimpleTemplate | undefined {
  const texts: string[] = [];
  const names: string[] = [];
  let at = 0;
  for (const { index, 0: tag, 1: name = "" } of source.matchAll(variable)) {
    // A further brace on either side makes it another tag.
    if (source[index - 1] === "{" || source[index + tag.length] === "}" || reserved.has(name))
      return undefined;
    texts.push(source.slice(at, index).toWellFormed());
    names.push(name);
    at = index + tag.length;
  }
  // Jinja removes one line break at the end of a template.
  texts.push(
    source
      .slice(at)
      .replace(/\r?\n$/, "")
      .toWellFormed(),
  );
  return texts.some((text) => /\{[{%#]/.test(text)) ? undefined : { texts, names };
}

/** Returns the text, or undefined if a value is missing or is no text: the engine decides what then is printed. */
export function renderSimple(
  { texts, names }: SimpleTemplate,
  variables: Record<string, unknown>,
): string | undefined {
  let text = texts[0] ?? "";
  for (const [index, name] of names.entries()) {
    const value = Object.hasOwn(variables, name) ? variables[name] : undefined;
    if (typeof value !== "string") return undefined;
    text += value.toWellFormed() + texts[index + 1];
  }
  return text;
}
