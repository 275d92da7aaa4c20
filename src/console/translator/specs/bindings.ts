import type { CloudResource, SpecReference } from "../../../contracts/translator/translation.ts";

/** A reference to a resource: `{kind}/{manifest}/{type}/{name}`. */
export const referenceOf = (
  { kind, name }: SpecReference,
  resource: Pick<CloudResource, "resource_type" | "name">,
): string => `${kind}/${name}/${resource.resource_type}/${resource.name}`;

/** Returns the references of a resource to others. */
export const bindingsOf = ({ config: { bindings } }: CloudResource): string[] =>
  Array.isArray(bindings) ? bindings.filter((one) => typeof one === "string") : [];

/** A resource in the graph of dependencies. */
export interface GraphNode {
  id: string;
  type: string;
  name: string;
  /** True if the resource belongs to another manifest. */
  isOutside: boolean;
  /** Column: one more than the highest of those that it needs. */
  depth: number;
  /** Place in its column. */
  row: number;
  needs: readonly string[];
}

/** Returns the resources of a manifest and those that they need, placed in columns by their dependencies. */
export function graphOf(spec: SpecReference, resources: readonly CloudResource[]): GraphNode[] {
  const needs = new Map(
    resources.map((resource) => [referenceOf(spec, resource), bindingsOf(resource)] as const),
  );
  const ids = [...new Set([...[...needs.values()].flat(), ...needs.keys()])];
  const rows = new Map<number, number>();
  return ids
    .map((id) => ({ id, depth: depthOf(id, needs, new Set()) }))
    .sort((a, b) => a.depth - b.depth)
    .map(({ id, depth }) => {
      const row = rows.get(depth) ?? 0;
      rows.set(depth, row + 1);
      const [, , type = "", ...name] = id.split("/");
      return {
        id,
        type,
        name: name.join("/"),
        isOutside: !needs.has(id),
        depth,
        row,
        needs: needs.get(id) ?? [],
      };
    });
}

function depthOf(id: string, needs: ReadonlyMap<string, readonly string[]>, above: Set<string>): number {
  const direct = needs.get(id) ?? [];
  // A circle, which the translator never makes, must not hang the page.
  if (above.has(id) || direct.length === 0) return 0;
  const next = new Set([...above, id]);
  return 1 + Math.max(...direct.map((other) => depthOf(other, needs, next)));
}
