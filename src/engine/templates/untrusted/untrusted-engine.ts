import type { Clock } from "../../../kit/clock.ts";
import { plainData } from "../plain-data.ts";
import { parseSimple, renderSimple } from "../simple-template.ts";
import type { TemplateEngine, TextTemplate } from "../template.ts";
import { boundedText, createTemplateCompiler } from "../template-compiler.ts";
import { templateLimit } from "../template-fault.ts";
import { createTemplateProcess } from "./template-process.ts";

/** Time limit of a template. */
const limitMs = 100;

/** An engine whose process several owners share; by itself, as the operator uses it. */
export interface SharedEngine extends TemplateEngine {
  /** The same for another owner, who is asked for at each rendering. */
  for(owner: () => string): TemplateEngine;
}

/**
 * Creates a Jinja2 engine for templates written by tenants. Templates are parsed here and rendered in a separate process that is killed
 * after the time limit. Text without tags needs no process, nor do templates that only print variables, because their work is bounded by
 * their text and their result.
 */
export function createUntrustedEngine(options: {
  clock: Clock;
  childCommand: readonly string[];
}): SharedEngine {
  const compiler = createTemplateCompiler();
  const child = createTemplateProcess(options.childCommand, options.clock);
  const parsedWith = new WeakMap<object, Parsed>();

  /** The names in a template and its library. Each text is parsed once, even if several templates share the library. */
  const namesIn = (
    name: string,
    source: string,
    library: Readonly<Record<string, string>>,
    strict: boolean,
  ): ReadonlySet<string> => {
    const parsed = parsedWith.get(library) ?? { chars: 0, names: new Map() };
    parsedWith.set(library, parsed);
    const names = new Set<string>();
    for (const [part, text] of [...Object.entries(library), [name, source] as const]) {
      const key = `${strict ? "strict" : "plain"} ${text}`;
      let template = parsed.names.get(key);
      if (template === undefined) {
        countTags(part, text, parsed);
        template = compiler.namesIn(part, text, {}, { strict });
        parsed.names.set(key, template);
      }
      for (const one of template) names.add(one);
    }
    return names;
  };

  const compileFor =
    (owner: () => string): TemplateEngine["compile"] =>
    (name, source, library = {}, { strict = false } = {}): TextTemplate => {
      if (!/\{[{%#]/.test(source)) return compiler.compile(name, source);
      const names = namesIn(name, source, library, strict);
      if (onlyPrints(source)) {
        const simple = strict ? undefined : parseSimple(source);
        return {
          names,
          async render(given) {
            const variables = plainOf(name, given, names);
            const text = simple && renderSimple(simple, variables);
            if (text !== undefined) return boundedText(name, text);
            return compiler.renderOnce(name, source, variables, "none", { library, strict });
          },
        };
      }
      return {
        names,
        async render(given) {
          const variables = plainOf(name, given, names);
          const request = { name, source, variables, escaping: "none" as const, library, strict };
          return child.render(request, limitMs, owner());
        },
      };
    };
  const engineOf = (owner: () => string): TemplateEngine => ({
    compile: compileFor(owner),
    renderUntrusted: async (source, variables, { timeLimitMs = limitMs, escaping = "none" } = {}) =>
      child.render(
        { name: "template", source, variables: plainOf("template", variables), escaping },
        timeLimitMs,
        owner(),
      ),
    close: child.close,
  });
  return { ...engineOf(() => ""), for: engineOf };
}

/** Texts parsed with the same library, as all templates of an agent are. */
interface Parsed {
  /** Characters inside their tags. */
  chars: number;
  /** Names in each text; the key is the mode of parsing and the text. */
  names: Map<string, ReadonlySet<string>>;
}

const printTag = /\{\{-?\s*[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*\s*-?\}\}/g;

/** Templates with more outputs than this are rendered in the process. */
const printsMax = 64;

/** Returns true if every tag prints a variable or an attribute of one: no filter, call, loop or inclusion. */
function onlyPrints(source: string): boolean {
  if ((source.match(printTag)?.length ?? 0) > printsMax) return false;
  return !/\{[{%#]/.test(source.replaceAll(printTag, ""));
}

/** Maximum characters inside all tags of one template, and of all templates that share a library: they are parsed in this thread. */
const tagCharsMax = 24 * 1024;
const sharedTagCharsMax = 48 * 1024;

/** Counts the characters in a template's tags. Throws if they exceed a limit. */
function countTags(name: string, source: string, parsed: Parsed): void {
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
  parsed.chars += chars;
  if (parsed.chars > sharedTagCharsMax) {
    throw templateLimit(
      name,
      `is one template too many: those of an agent may have ${sharedTagCharsMax} characters inside their tags together`,
    );
  }
}

/** The variables that the template names, as plain data; others are never read. */
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
