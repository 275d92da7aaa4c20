/** A template without filters, conditions and expressions: texts, variables with attributes, and loops over lists. */
export interface SimpleTemplate {
  parts: readonly Part[];
  /** Variables that it reads, without those of its loops. */
  names: ReadonlySet<string>;
}

type Part = string | { path: Path } | Loop;

/** A variable's name and the attributes to follow from there. */
type Path = readonly [name: string, ...attributes: string[]];

interface Loop {
  item: string;
  list: Path;
  parts: Part[];
}

const name = "[A-Za-z_]\\w*";
const path = `${name}(?:\\.${name}){0,7}`;
const tags = new RegExp(
  `\\{\\{[ \\t]*(?<shown>${path})[ \\t]*\\}\\}` +
    `|\\{%[ \\t]*for[ \\t]+(?<item>${name})[ \\t]+in[ \\t]+(?<list>${path})[ \\t]*%\\}` +
    "|\\{%[ \\t]*endfor[ \\t]*%\\}",
  "g",
);

/** Names that are not variables in every position, and names of the engine's own values. */
const reserved = new Set(
  "and or not in is if elif else endif for endfor recursive true false none True False None self super loop caller range dict namespace debug".split(
    " ",
  ),
);

/** Loops inside loops beyond this are the engine's. */
const depthMax = 4;

/** Values and rounds of a template, and characters of its text. One that needs more is the engine's, which has limits. */
const stepsMax = 10_000;
const charsMax = 256 * 1024;

/**
 * Parses a template whose only tags are variables, their attributes and loops, such as `{{ current_date }}` and
 * `{% for tool in available_tools %}`; undefined for any other. Most prompts are such texts, and an agent with one does not load the engine
 * (10 MB).
 */
export function parseSimple(source: string): SimpleTemplate | undefined {
  const whole: Part[] = [];
  const names = new Set<string>();
  const open: Loop[] = [];
  let at = 0;
  const add = (part: Part) => (open.at(-1)?.parts ?? whole).push(part);
  for (const { index, 0: tag, groups = {} } of source.matchAll(tags)) {
    // A further brace on either side makes it another tag.
    if (source[index - 1] === "{" || source[index + tag.length] === "}") return undefined;
    add(source.slice(at, index));
    at = index + tag.length;
    const { shown, item, list } = groups;
    if (shown === undefined && list === undefined) {
      const ended = open.pop();
      if (ended === undefined) return undefined;
      add(ended);
      continue;
    }
    const [first = "", ...attributes] = (shown ?? list ?? "").split(".");
    if ([first, ...attributes, item ?? ""].some((word) => reserved.has(word))) return undefined;
    if (!open.some((loop) => loop.item === first)) names.add(first);
    if (item === undefined) add({ path: [first, ...attributes] });
    else if (open.length === depthMax) return undefined;
    else open.push({ item, list: [first, ...attributes], parts: [] });
  }
  if (open.length > 0) return undefined;
  // Jinja removes one line break at the end of a template.
  add(source.slice(at).replace(/\r?\n$/, ""));
  return hasOtherTags(whole) ? undefined : { parts: whole.map(wellFormed), names };
}

function hasOtherTags(parts: readonly Part[]): boolean {
  return parts.some((part) =>
    typeof part === "string" ? /\{[{%#]/.test(part) : "parts" in part && hasOtherTags(part.parts),
  );
}

function wellFormed(part: Part): Part {
  if (typeof part === "string") return part.toWellFormed();
  return "parts" in part ? { ...part, parts: part.parts.map(wellFormed) } : part;
}

/**
 * Returns the text, in which missing values are empty. Undefined if another value is not text, or another loop is over no list: the engine
 * decides what then is printed.
 */
export function renderSimple(
  { parts }: SimpleTemplate,
  variables: Record<string, unknown>,
): string | undefined {
  let text = "";
  let steps = 0;
  const scope = new Map<string, unknown>();
  const valueOfPath = ([first, ...attributes]: Path): unknown =>
    scope.has(first) ? valueAt(scope.get(first), attributes) : valueAt(variables, [first, ...attributes]);

  /** Returns false if the engine has to render the template. */
  const renderAll = (some: readonly Part[]): boolean => {
    for (const part of some) {
      if (typeof part === "string") text += part;
      else if ("parts" in part ? !renderLoop(part) : !show(part.path)) return false;
      if (text.length > charsMax) return false;
    }
    return true;
  };
  const show = (path: Path): boolean => {
    const value = valueOfPath(path);
    if (++steps > stepsMax || (value !== undefined && typeof value !== "string")) return false;
    text += (value ?? "").toWellFormed();
    return true;
  };
  const renderLoop = ({ item, list, parts }: Loop): boolean => {
    const items = valueOfPath(list);
    if (items === undefined) return true;
    if (!Array.isArray(items)) return false;
    const outer = scope.has(item) ? { value: scope.get(item) } : undefined;
    for (const value of items) {
      scope.set(item, value);
      if (++steps > stepsMax || !renderAll(parts)) return false;
    }
    if (outer === undefined) scope.delete(item);
    else scope.set(item, outer.value);
    return true;
  };
  return renderAll(parts) ? text : undefined;
}

/** Returns the value at a path, undefined if there is none, or null if the engine has to look: texts and lists have attributes of its own. */
function valueAt(from: unknown, path: readonly string[]): unknown {
  let value = from;
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
