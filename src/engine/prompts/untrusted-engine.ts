import type { Clock } from "../../kit/clock.ts";
import { plainData } from "./plain-data.ts";
import type { Template, TemplateEngine } from "./template.ts";
import { createTemplateCompiler } from "./template-compiler.ts";
import { templateLimit } from "./template-fault.ts";
import { createTemplateProcess } from "./template-process.ts";

/** How long a template may take. */
const limitMs = 100;

/**
 * Jinja2 for templates that tenants write: they are parsed here and rendered in a process of their own, which is killed when
 * the time is up. A text without any tag needs none.
 */
export function createUntrustedEngine(options: {
  clock: Clock;
  childCommand: readonly string[];
}): TemplateEngine {
  const compiler = createTemplateCompiler();
  const child = createTemplateProcess(options.childCommand, options.clock);

  const compile: TemplateEngine["compile"] = (
    name,
    source,
    library = {},
    { strict = false } = {},
  ): Template => {
    if (!/\{[{%#]/.test(source)) return compiler.compile(name, source);
    for (const [part, text] of [[name, source], ...Object.entries(library)] as const)
      requireFewTags(part, text);
    const names = compiler.namesIn(name, source, library, { strict });
    return {
      names,
      async render(given) {
        const variables = plainOf(name, given, names);
        return child.render({ name, source, variables, escaping: "none", library, strict }, limitMs);
      },
    };
  };
  return {
    compile,
    renderUntrusted: async (source, variables, { timeLimitMs = limitMs, escaping = "none" } = {}) =>
      child.render(
        { name: "template", source, variables: plainOf("template", variables), escaping },
        timeLimitMs,
      ),
    close: child.close,
  };
}

/** Characters inside all tags of one template: they are parsed in this thread. */
const tagCharsMax = 24 * 1024;

/** Throws where the tags of a template are longer than may be. */
function requireFewTags(name: string, source: string): void {
  let chars = 0;
  for (let at = source.indexOf("{"); at !== -1; at = source.indexOf("{", at)) {
    const mark = source[at + 1] ?? "";
    if (!"{%#".includes(mark) || mark === "") {
      at++;
      continue;
    }
    const close = source.indexOf(mark === "{" ? "}}" : `${mark}}`, at + 2);
    const end = close === -1 ? source.length : close + 2;
    if (mark !== "#") chars += end - at;
    at = end;
  }
  if (chars > tagCharsMax)
    throw templateLimit(name, `has more than ${tagCharsMax} characters inside its tags`);
}

/** What the template names of the variables, as plain data: the others are never read. */
function plainOf(
  name: string,
  given: Record<string, unknown>,
  names: ReadonlySet<string> = new Set(Object.keys(given)),
): Record<string, unknown> {
  const read = Object.create(null) as Record<string, unknown>;
  try {
    for (const variable of names) {
      if (Object.hasOwn(given, variable)) read[variable] = plainData(given[variable]);
    }
    return read;
  } catch (thrown) {
    throw thrown instanceof RangeError ? templateLimit(name, thrown.message) : thrown;
  }
}
