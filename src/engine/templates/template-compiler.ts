import { AppError } from "../../kit/app-error.ts";
import { type BridgeOptions, bridgeJinja } from "./jinja/jinja-bridge.ts";
import { loadMinijinja, type MinijinjaInstance, openMinijinja } from "./minijinja/minijinja-instance.ts";
import { plainData } from "./plain-data.ts";
import { parseSimple, renderSimple, type SimpleTemplate } from "./simple-template.ts";
import type { Escaping, ReadyTemplate, TemplateEngine } from "./template.ts";
import { engineComplaint, type TemplateText, templateFault, templateLimit } from "./template-fault.ts";

/** Maximum size of a source and of a result, in UTF-8 bytes. */
export const TEMPLATE_BYTES_MAX = 256 * 1024;

/** Templates that may be included, and the treatment of missing values. */
export interface TemplateFamily {
  library?: Readonly<Record<string, string>>;
  strict?: boolean;
}

/** Compiles and renders in this thread, with limits on steps, memory and size, but not on time. */
export interface TemplateCompiler {
  compile(...template: Parameters<TemplateEngine["compile"]>): ReadyTemplate;
  /** Returns the names in a template that is rendered elsewhere, and keeps nothing. Throws as `compile`. */
  namesIn(...template: Parameters<TemplateEngine["compile"]>): ReadonlySet<string>;
  /** Compiles, renders and releases the template. */
  renderOnce(
    name: string,
    source: string,
    variables: Record<string, unknown>,
    escaping: Escaping,
    family?: TemplateFamily,
  ): string;
}

/** A template and its library by their engine ids; the first one is rendered. */
type Family = ReadonlyMap<string, TemplateText>;

/**
 * Keeps one engine instance for all templates. After a trap the instance is dropped, and each template is added to the next one on its next
 * use. Nothing is loaded before the first template.
 */
export function createTemplateCompiler(): TemplateCompiler {
  let module: WebAssembly.Module | undefined;
  let live: MinijinjaInstance | undefined;
  let made = 0;

  const instance = () => {
    module ??= loadMinijinja();
    live ??= openMinijinja(module);
    return live;
  };

  const prepare = (
    name: string,
    source: string,
    library: Readonly<Record<string, string>>,
    options: BridgeOptions,
  ) => {
    const id = `t${made++}`;
    const family = familyOf(id, name, source, library, options);
    const names = new Set([...family.values()].flatMap(({ bridged }) => [...bridged.names]));
    let home: MinijinjaInstance | undefined;

    /** Runs work in the template's instance. A trap may be caused by earlier templates in its memory, so the work is retried once. */
    const inInstance = <T>(
      code: "template_invalid" | "template_failed",
      work: (home: MinijinjaInstance) => T,
    ): T => {
      for (let attempt = 1; ; attempt++) {
        const current = instance();
        try {
          if (home !== current)
            for (const [member, { bridged }] of family) current.add(member, bridged.source);
          home = current;
          return work(current);
        } catch (thrown) {
          if (thrown instanceof AppError) throw thrown;
          const complaint = engineComplaint(thrown);
          const text = complaint && family.get(complaint.id);
          if (text) {
            const message =
              current.takeFilterFault() ?? complaint.message.replaceAll(`${id}/`, "").replaceAll("$", "");
            throw templateFault(code, text, { ...complaint, message });
          }
          live = undefined;
          if (attempt === 2) throw templateLimit(name, "needs too much memory or nests too deeply");
        }
      }
    };

    inInstance("template_invalid", () => {});
    return {
      names,
      render: (variables: Record<string, unknown>) =>
        inInstance("template_failed", (home) =>
          boundedText(name, home.render(id, readVariables(name, names, variables))),
        ),
      forget() {
        if (home === live) for (const member of family.keys()) home?.remove(member);
      },
    };
  };

  return {
    compile(name, source, library = {}, { strict = false } = {}) {
      const simple = simpleIn(name, source, library, strict);
      if (simple !== undefined) {
        let whole: ReadyTemplate | undefined;
        return {
          names: simple.names,
          render(variables) {
            const text = renderSimple(simple, variables);
            if (text !== undefined) return boundedText(name, text);
            whole ??= prepare(name, source, library, {});
            return whole.render(variables);
          },
        };
      }
      // Guards could make invalid syntax valid, so the source must also compile without them.
      if (strict) prepare(name, source, library, {}).forget();
      const { names, render } = prepare(name, source, library, { strict });
      return { names, render };
    },
    namesIn(name, source, library = {}, { strict = false } = {}) {
      const simple = simpleIn(name, source, library, strict);
      if (simple !== undefined) return simple.names;
      if (strict) prepare(name, source, library, {}).forget();
      const { names, forget } = prepare(name, source, library, { strict });
      forget();
      return names;
    },
    renderOnce(name, source, variables, escaping, { library = {}, strict = false } = {}) {
      const template = prepare(name, source, library, strict ? { strict } : { escaping });
      try {
        return template.render(variables);
      } finally {
        template.forget();
      }
    },
  };
}

/** The template's texts and variables if it needs no engine. Names of a library count as the template's own, and only the engine is strict. */
function simpleIn(
  name: string,
  source: string,
  library: Readonly<Record<string, string>>,
  strict: boolean,
): SimpleTemplate | undefined {
  const simple = parseSimple(source);
  if (simple === undefined) return undefined;
  if (simple.names.size > 0 && (strict || Object.keys(library).length > 0)) return undefined;
  boundedSource(name, source);
  return simple;
}

function familyOf(
  id: string,
  name: string,
  source: string,
  library: Readonly<Record<string, string>>,
  options: BridgeOptions,
): Family {
  // An id must not end like a markup file, because the engine would then escape its output.
  const names = { before: `${id}/`, after: "$" };
  const member = (name: string, source: string): TemplateText => {
    boundedSource(name, source);
    return { name, source, bridged: bridgeJinja(source, names, options) };
  };
  const others = Object.entries(library).map(
    ([other, text]) => [`${id}/${other}$`, member(other, text)] as const,
  );
  return new Map([[id, member(name, source)], ...others]);
}

function boundedSource(name: string, source: string): void {
  if (Buffer.byteLength(source) > TEMPLATE_BYTES_MAX)
    throw templateLimit(name, `is longer than ${TEMPLATE_BYTES_MAX} bytes`);
}

/** Reads only the variables that the templates name, so an unused getter costs nothing. */
function readVariables(
  name: string,
  names: ReadonlySet<string>,
  variables: Record<string, unknown>,
): Record<string, unknown> {
  const read: Record<string, unknown> = Object.create(null);
  try {
    for (const variable of names) {
      if (Object.hasOwn(variables, variable)) read[variable] = plainData(variables[variable]);
    }
  } catch (thrown) {
    if (thrown instanceof RangeError) throw templateLimit(name, thrown.message);
    throw thrown;
  }
  return read;
}

/** Returns the text. Throws if it is longer than a result may be. */
export function boundedText(name: string, text: string): string {
  // A UTF-16 unit takes at most three bytes, so most results need no counting.
  if (text.length * 3 > TEMPLATE_BYTES_MAX && Buffer.byteLength(text) > TEMPLATE_BYTES_MAX) {
    throw templateLimit(name, `makes a text longer than ${TEMPLATE_BYTES_MAX} bytes`);
  }
  return text;
}
