import type { TemplateEngine } from "../prompts/template.ts";
import type { Link } from "./chain.ts";

/** Texts that count as false; every other text counts as true. */
const falseTexts = new Set(["", "false", "0", "0.0", "none", "null", "no", "off", "[]", "{}"]);
const trueTexts = new Set(["true", "1", "yes", "on"]);

/**
 * Compiles a condition: a template, or an expression without its braces; undefined without a condition. It is false if it renders to one of
 * `falseTexts`, ignoring case and surrounding spaces. Throws AppError `template_invalid`.
 */
export function compileCondition(
  engine: TemplateEngine,
  path: string,
  source: string | undefined,
  library: Readonly<Record<string, string>> = {},
): Link["holds"] {
  if (source === undefined) return undefined;
  const template = engine.compile(path, isExpression(source) ? `{{ ${source} }}` : source, library, {
    strict: true,
  });
  return (facts) => {
    const text = template.render({ ...facts });
    return typeof text === "string" ? !isFalse(text) : text.then((late) => !isFalse(late));
  };
}

/** Returns true if the source is an expression. Text without tags is an expression unless it is a literal yes or no. */
function isExpression(source: string): boolean {
  const word = source.trim().toLowerCase();
  return !/\{[{%#]/.test(source) && !falseTexts.has(word) && !trueTexts.has(word);
}

function isFalse(text: string): boolean {
  return falseTexts.has(text.trim().toLowerCase());
}
