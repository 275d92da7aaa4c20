import type { TemplateEngine } from "../prompts/template.ts";
import type { Link } from "./chain.ts";

/** What a condition renders to when it does not hold; everything else holds. */
const falseTexts = new Set(["", "false", "0", "0.0", "none", "null", "no", "off", "[]", "{}"]);
const trueTexts = new Set(["true", "1", "yes", "on"]);

/**
 * A condition, where there is one: a template, or an expression without the braces around it. It holds unless it renders to one of
 * `falseTexts`, in any case and with any space around. Throws AppError `template_invalid`.
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

/** Without any tag the text would always be the same; only a plain yes or no can be meant to be. */
function isExpression(source: string): boolean {
  const word = source.trim().toLowerCase();
  return !/\{[{%#]/.test(source) && !falseTexts.has(word) && !trueTexts.has(word);
}

function isFalse(text: string): boolean {
  return falseTexts.has(text.trim().toLowerCase());
}
