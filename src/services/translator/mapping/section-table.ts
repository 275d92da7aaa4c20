import type { CloudResource, Coverage, Gap } from "../../../contracts/translator/translation.ts";
import { elementSegment, keyMatchers } from "../../../manifest/senders/key-policy.ts";

export type JsonObject = Record<string, unknown>;

/** A section that a manifest uses, for the text of its gap. */
export interface SectionUse {
  /** The section's elements that are used, such as tools or guardrails, by name or type; empty for other sections. */
  names: readonly string[];
}

/** One section of a manifest: its keys, how well a cloud covers it, and what it becomes there. */
export interface SectionRow<Manifest> {
  /** The name in gaps and in the coverage matrix: `memory.semantic`. */
  section: string;
  /** Keys as in the policy for sent manifests, each with everything below it. The longest key that matches counts. */
  keys: readonly string[];
  /** Absent: always. Of rows with the same key, the first that applies counts. */
  when?: (manifest: Manifest) => boolean;
  coverage: Coverage;
  /** What is lost, and what a person can do about it. Absent only if the section is supported. */
  detail?: (use: SectionUse) => string;
  /** Adds the section to the config of a resource of this type; only if the manifest uses the section. */
  into?: Readonly<Record<string, (config: JsonObject, manifest: Manifest) => void>>;
}

/** A resource that manifests of a kind become. Rows add their sections to its config. */
export interface ResourceRow<Manifest> {
  resource_type: string;
  source_section: string;
  name: (manifest: Manifest) => string;
  /** Absent: always. */
  when?: (manifest: Manifest) => boolean;
  /** The config before the sections are added. */
  config: (manifest: Manifest) => JsonObject;
  /** Completes the config after all sections. */
  finish?: (config: JsonObject, manifest: Manifest) => void;
}

/** The mapping of one kind of manifest to one cloud: resources, coverage matrix and gaps come from this table. */
export interface SectionTable<Manifest> {
  resources: readonly ResourceRow<Manifest>[];
  sections: readonly SectionRow<Manifest>[];
  /** Returns the row for a key, given as its segments; undefined if the table does not know it. Without a manifest, `when` is ignored. */
  find(segments: readonly string[], manifest?: Manifest): SectionRow<Manifest> | undefined;
}

export function sectionTable<Manifest>(
  rows: Pick<SectionTable<Manifest>, "resources" | "sections">,
): SectionTable<Manifest> {
  const keys = rows.sections
    .flatMap((row) => row.keys.map((key) => ({ row, matchers: keyMatchers(key) })))
    .sort((one, other) => other.matchers.length - one.matchers.length);
  return {
    ...rows,
    find: (segments, manifest) =>
      keys.find(
        ({ row, matchers }) =>
          matchers.length <= segments.length &&
          matchers.every((isMatch, index) => isMatch(segments[index] as string)) &&
          (manifest === undefined || (row.when?.(manifest) ?? true)),
      )?.row,
  };
}

/** A valid manifest, and the document as its author wrote it, without defaults. */
export interface ReadManifest<Manifest> {
  manifest: Manifest;
  document: unknown;
}

/** Translates a manifest by a table. Gaps stand in the order of the document, one for each section. */
export function translateBy<Manifest>(
  table: SectionTable<Manifest>,
  { manifest, document }: ReadManifest<Manifest>,
): { resources: CloudResource[]; gaps: Gap[] } {
  const used = usedSections(table, { manifest, document });
  const resources = table.resources
    .filter(({ when }) => when?.(manifest) ?? true)
    .map(({ resource_type, source_section, name, config: begin, finish }) => {
      const config = begin(manifest);
      for (const row of table.sections) if (used.has(row)) row.into?.[resource_type]?.(config, manifest);
      finish?.(config, manifest);
      return { resource_type, name: name(manifest), source_section, config };
    });
  const gaps = [...used].flatMap(([{ section, coverage, detail }, names]) =>
    coverage === "supported" || detail === undefined
      ? []
      : [{ section, coverage, detail: detail({ names: [...names] }) }],
  );
  return { resources, gaps };
}

/** Returns the rows of all keys in the document that have a value, each with the names of its elements. */
function usedSections<Manifest>(
  table: SectionTable<Manifest>,
  { manifest, document }: ReadManifest<Manifest>,
): Map<SectionRow<Manifest>, Set<string>> {
  const used = new Map<SectionRow<Manifest>, Set<string>>();
  const visit = (value: unknown, segments: readonly string[], element: string | undefined) => {
    if (Array.isArray(value)) {
      for (const one of value) visit(one, [...segments, elementSegment(one)], nameOf(one) ?? element);
    } else if (typeof value === "object" && value !== null) {
      for (const [key, inner] of Object.entries(value)) visit(inner, [...segments, key], element);
    } else if (value !== null && value !== undefined) {
      const row = table.find(segments, manifest);
      if (row === undefined) return;
      const names = used.get(row) ?? new Set();
      if (element !== undefined) names.add(element);
      used.set(row, names);
    }
  };
  visit(document, [], undefined);
  return used;
}

/** The name by which a person knows an element of a list: a tool's name, a guardrail's type. */
function nameOf(element: unknown): string | undefined {
  if (typeof element !== "object" || element === null) return undefined;
  const { name, type } = element as { name?: unknown; type?: unknown };
  if (typeof name === "string") return name;
  return typeof type === "string" ? type : undefined;
}
