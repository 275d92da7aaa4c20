import { type Document, isAlias, isMap, isScalar, isSeq, type Node, type Pair, type Scalar } from "yaml";
import { isRepresentable } from "../../kit/json/json-number.ts";
import { dotted, type Path } from "../fault.ts";
import { depthMax } from "../senders/vet-tree.ts";

/** Limit for the values that aliases add by repeating their anchors. */
const aliasedMax = 1000;

/**
 * Returns the plain value of a composed document. Throws YamlFault for values that two readers could understand differently or that grow
 * without bound. `refuse` gets a fault that leaves the rest readable; unless it throws, reading continues. With `asText`, numbers that can't
 * be held exactly and aliases without an anchor are their text, which is not a fault. The library's own conversion is not used, because it takes
 * time quadratic in the number of keys or aliases.
 */
export function valuesOf(
  document: Document,
  refuse: (fault: YamlFault) => void = (fault) => {
    throw fault;
  },
  asText = false,
): Record<string, unknown> {
  const anchors = new Map<string, Node>();
  const open = new Set<Node>();
  let aliased = 0;

  /** `alias` is the offset of the outermost alias through which `node` is read. */
  const visit = (node: unknown, path: Path, alias: number | undefined): unknown => {
    if (node === null) return null;
    if (isAlias(node)) {
      const target = anchors.get(node.source);
      const offset = offsetOf(node);
      if (target === undefined && asText) return `*${node.source}`;
      if (target === undefined) {
        // Without its name, because a password that begins with `*` looks like an alias.
        const message =
          "begins with `*`: an alias of an anchor that doesn't stand before it; put text in quotes";
        refuse(fault(message, offset, path));
        return null;
      }
      if (open.has(target)) throw fault("refers to itself through an alias", offset, path);
      return visit(target, path, alias ?? offset);
    }
    if (!isScalar(node) && !isMap(node) && !isSeq(node)) throw fault("is not a value", 0, path);
    if (alias !== undefined && ++aliased > aliasedMax) {
      throw fault(`repeats more than ${aliasedMax} values through aliases`, alias, path);
    }
    if (node.tag !== undefined) {
      const message = "has the tag that its `!` begins; tags are not supported: put text in quotes";
      refuse(fault(message, offsetOf(node), path));
    }
    if (node.anchor !== undefined) anchors.set(node.anchor, node);
    if (isScalar(node)) return scalarValue(node, path, refuse, asText);
    if (path.length >= depthMax) {
      throw fault(`is nested deeper than ${depthMax} levels`, offsetOf(node), path);
    }
    open.add(node);
    const value = isSeq(node)
      ? node.items.map((item, index) => visit(item, [...path, index], alias))
      : mapValue(node.items, path, alias);
    open.delete(node);
    return value;
  };

  const mapValue = (
    pairs: readonly Pair[],
    path: Path,
    alias: number | undefined,
  ): Record<string, unknown> => {
    const value: Record<string, unknown> = {};
    for (const pair of pairs) {
      const key = keyOf(pair, path, refuse);
      if (key === undefined) continue;
      if (Object.hasOwn(value, key)) {
        refuse(fault("is given twice", offsetOf(pair.key), [...path, key]));
        continue;
      }
      value[key] = visit(pair.value, [...path, key], alias);
    }
    return value;
  };

  if (!isMap(document.contents)) {
    throw new YamlFault("must be a mapping (`key: value` lines), not a list or a single value", {
      offset: offsetOf(document.contents),
    });
  }
  return visit(document.contents, [], undefined) as Record<string, unknown>;
}

/** Returns the offset of a node in its text. */
export function offsetOf(node: unknown): number {
  return isScalar(node) || isMap(node) || isSeq(node) || isAlias(node) ? (node.range?.[0] ?? 0) : 0;
}

/** Returns undefined for a key that was refused. */
function keyOf(pair: Pair, path: Path, refuse: (fault: YamlFault) => void): string | undefined {
  const key = pair.key;
  const name = isScalar(key) && typeof key.value === "string" ? key.value : undefined;
  const wrong = faultOfKey(key, name);
  if (wrong !== undefined) refuse(fault(wrong, offsetOf(key), path));
  return wrong === undefined ? name : undefined;
}

function faultOfKey(key: unknown, name: string | undefined): string | undefined {
  if (!isScalar(key) || name === undefined) return "has a key that is not text";
  if (key.tag !== undefined) return "has a key with a tag; tags are not supported";
  if (key.anchor !== undefined) return "has a key with an anchor; anchors are for values";
  if (name === "__proto__") return "has the key __proto__, which is not possible";
  if (name === "<<") return "has a merge key (`<<`), which YAML 1.2 does not have; write the keys out";
  return undefined;
}

function scalarValue(node: Scalar, path: Path, refuse: (fault: YamlFault) => void, asText: boolean): unknown {
  const value = node.value;
  const source = node.source ?? "";
  // A standard tag such as `!!binary` makes bytes.
  if (asText && typeof value === "object" && value !== null) return source;
  if (typeof value !== "number") return value;
  const exact = /^0[xo]/.test(source)
    ? Number.isSafeInteger(value)
    : isRepresentable(source.startsWith("+") ? source.slice(1) : source, value);
  if (!exact && asText) return source;
  if (!exact) {
    refuse(fault("is a number that can't be held exactly; put it in quotes", offsetOf(node), path));
  }
  return value;
}

function fault(message: string, offset: number, path: Path): YamlFault {
  return new YamlFault(message, { offset, path: dotted(path) });
}

/** The reason why reading a YAML text stopped, and its offset. Internal to the reader. */
export class YamlFault extends Error {
  readonly offset: number;
  readonly path: string;

  constructor(message: string, where: { offset: number; path?: string; cause?: unknown }) {
    super(message, { cause: where.cause });
    this.offset = where.offset;
    this.path = where.path ?? "";
  }
}
