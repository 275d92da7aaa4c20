import { type Document, isAlias, isMap, isScalar, isSeq, type Node, type Pair, type Scalar } from "yaml";
import { isRepresentable } from "../kit/json-number.ts";
import { dotted, type Path } from "./fault.ts";
import { depthMax } from "./vet-tree.ts";
import { YamlFault } from "./yaml-fault.ts";

/** Values that aliases may add by repeating what their anchors hold. */
const aliasedMax = 1000;

/**
 * The plain value of a composed document; throws YamlFault for what two readers could understand differently or what
 * grows without bound. Done here and not by the library, whose own conversion takes time that grows with the square of
 * the number of keys or aliases.
 */
export function valuesOf(document: Document): Record<string, unknown> {
  const anchors = new Map<string, Node>();
  const open = new Set<Node>();
  let aliased = 0;

  /** `alias` is where the outermost alias stands that `node` is read through. */
  const visit = (node: unknown, path: Path, alias: number | undefined): unknown => {
    if (node === null) return null;
    if (isAlias(node)) {
      const target = anchors.get(node.source);
      const offset = offsetOf(node);
      if (target === undefined) {
        // Without its name: a password that begins with `*` reads like this.
        throw fault(
          "begins with `*`: an alias of an anchor that doesn't stand before it; put text in quotes",
          offset,
          path,
        );
      }
      if (open.has(target)) throw fault("refers to itself through an alias", offset, path);
      return visit(target, path, alias ?? offset);
    }
    if (!isScalar(node) && !isMap(node) && !isSeq(node)) throw fault("is not a value", 0, path);
    if (alias !== undefined && ++aliased > aliasedMax) {
      throw fault(`repeats more than ${aliasedMax} values through aliases`, alias, path);
    }
    if (node.tag !== undefined) {
      throw fault(
        "has the tag that its `!` begins; tags are not supported: put text in quotes",
        offsetOf(node),
        path,
      );
    }
    if (node.anchor !== undefined) anchors.set(node.anchor, node);
    if (isScalar(node)) return scalarValue(node, path);
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
      const key = keyOf(pair, path);
      if (Object.hasOwn(value, key)) throw fault("is given twice", offsetOf(pair.key), [...path, key]);
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

/** Where a node begins in its text. */
export function offsetOf(node: unknown): number {
  return isScalar(node) || isMap(node) || isSeq(node) || isAlias(node) ? (node.range?.[0] ?? 0) : 0;
}

function keyOf(pair: Pair, path: Path): string {
  const key = pair.key;
  const offset = offsetOf(key);
  if (!isScalar(key) || typeof key.value !== "string") {
    throw fault("has a key that is not text", offset, path);
  }
  if (key.tag !== undefined) throw fault("has a key with a tag; tags are not supported", offset, path);
  if (key.anchor !== undefined) throw fault("has a key with an anchor; anchors are for values", offset, path);
  if (key.value === "__proto__") throw fault("has the key __proto__, which is not possible", offset, path);
  if (key.value === "<<") {
    throw fault("has a merge key (`<<`), which YAML 1.2 does not have; write the keys out", offset, path);
  }
  return key.value;
}

function scalarValue(node: Scalar, path: Path): unknown {
  const value = node.value;
  if (typeof value !== "number") return value;
  const source = node.source ?? "";
  const exact = /^0[xo]/.test(source)
    ? Number.isSafeInteger(value)
    : isRepresentable(source.startsWith("+") ? source.slice(1) : source, value);
  if (!exact) throw fault("is a number that can't be held exactly; put it in quotes", offsetOf(node), path);
  return value;
}

function fault(message: string, offset: number, path: Path): YamlFault {
  return new YamlFault(message, { offset, path: dotted(path) });
}
