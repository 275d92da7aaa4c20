/**
 * Writes docs/reference/*.md from the schemas that validate, so that the reference matches the program. `--check` writes nothing and fails
 * if a page is not up to date.
 */
import { KindGuard, type TArray, type TLiteral, type TObject, type TSchema, Type } from "@sinclair/typebox";
import { builtRegistries } from "../src/engine/agents/manifest-registries.ts";
import { missingKeys } from "../src/engine/agents/missing-features.ts";
import { providerNames } from "../src/engine/models/providers/registry.ts";
import { expectation } from "../src/manifest/schema/found-value.ts";
import { manifestKindNames } from "../src/manifest/schema/kind-names.ts";
import type { ManifestShape } from "../src/manifest/schema/manifest-kind.ts";
import { manifestShape } from "../src/manifest/schema/manifest-shape.ts";
import { aliasesOf, requiredKeys } from "../src/manifest/schema/schema-vocabulary.ts";
import { cloudProviders } from "../src/services/translator/mapping/cloud-provider.ts";
import { coverageOf } from "../src/services/translator/mapping/coverage-matrix.ts";
import { type KeyRow, keyTable } from "./generating/dense-rows.ts";

const folder = new URL("../docs/reference/", import.meta.url);

// The abilities of this version: the pages list only keys that a manifest can use.
const registries = { agent: builtRegistries(), ragPipeline: {}, providerTypes: providerNames() };
const kinds = manifestKindNames.map((name) => manifestShape(name, registries));

/** Returns a row per key, in the schema's order. `shown` has the places of mappings that already have rows, by their keys. */
function rowsOf(schema: TSchema, at: string, shown: Map<string, string>): KeyRow[] {
  if (KindGuard.IsUnion(schema)) {
    const entries = schema.anyOf.find((variant): variant is TArray => KindGuard.IsArray(variant));
    if (entries !== undefined && KindGuard.IsObject(entries.items)) return rowsOf(entries, at, shown);
    return variantRows(schema.anyOf.filter(KindGuard.IsObject), at, shown);
  }
  if (KindGuard.IsArray(schema)) return rowsOf(schema.items, `${at}[]`, shown);
  if (KindGuard.IsRecord(schema)) {
    return Object.values(schema.patternProperties).flatMap((values) => rowsOf(values, `${at}.<name>`, shown));
  }
  if (!KindGuard.IsObject(schema)) return [];
  if (Object.keys(schema.properties).length > 2) shown.set(JSON.stringify(schema.properties), `\`${at}\``);
  return Object.entries(schema.properties).flatMap(([key, property]) =>
    propertyRows(property, at === "" ? key : `${at}.${key}`, requiredKeys(schema).includes(key), shown),
  );
}

function propertyRows(
  property: TSchema,
  at: string,
  isRequired: boolean,
  shown: Map<string, string>,
): KeyRow[] {
  const inner = KindGuard.IsArray(property) ? property.items : property;
  const twin = KindGuard.IsObject(inner) ? shown.get(JSON.stringify(inner.properties)) : undefined;
  const row = { key: at, label: "", ...columns(property, isRequired) };
  if (twin === undefined) return [row, ...rowsOf(property, at, shown)];
  return [{ ...row, type: `${row.type} like ${twin}` }];
}

/** Returns rows of variants: common keys once, the others with their `type`. */
function variantRows(variants: readonly TObject[], at: string, shown: Map<string, string>): KeyRow[] {
  const keys = new Set(variants.flatMap((variant) => Object.keys(variant.properties)));
  return [...keys].flatMap((key) => {
    const path = `${at}.${key}`;
    const written = (variant: TObject) =>
      JSON.stringify([variant.properties[key], requiredKeys(variant).includes(key)]);
    const [first] = variants;
    const properties = variants.flatMap((variant) => variant.properties[key] ?? []);
    const [sample] = properties;
    if (first === undefined || sample === undefined) return [];
    if (variants.every((variant) => written(variant) === written(first))) {
      return propertyRows(sample, path, requiredKeys(first).includes(key), shown);
    }
    if (properties.every(KindGuard.IsLiteral)) {
      return propertyRows(oneOfThem(properties), path, true, shown);
    }
    const types = Map.groupBy(variants, (variant) => variant.properties.type?.const);
    return [...types].flatMap(([type, ofType]) => typeRows(ofType, String(type), key, path, shown));
  });
}

/** Returns rows for a key in variants of one `type`: one if they agree, otherwise one per difference with the names it applies to. */
function typeRows(
  variants: readonly TObject[],
  type: string,
  key: string,
  path: string,
  shown: Map<string, string>,
): KeyRow[] {
  const having = variants.filter((variant) => variant.properties[key] !== undefined);
  const properties = having.flatMap((variant) => variant.properties[key] ?? []);
  const isRequired = (variant: TObject) => requiredKeys(variant).includes(key);
  const labelled = (rows: readonly KeyRow[], label: string) => rows.map((row) => ({ ...row, label }));
  if (properties.length > 1 && properties.every(KindGuard.IsLiteral)) {
    return labelled(propertyRows(oneOfThem(properties), path, true, shown), type);
  }
  const alike = Map.groupBy(having, (variant) =>
    JSON.stringify([variant.properties[key], isRequired(variant)]),
  );
  return [...alike.values()].flatMap((group) => {
    const [first] = group;
    const property = first?.properties[key];
    if (first === undefined || property === undefined) return [];
    const names = group.map((variant) => variant.properties.name?.const);
    const label = group.length === variants.length ? type : names.join(", ");
    return labelled(propertyRows(property, path, isRequired(first), shown), label);
  });
}

function oneOfThem(literals: readonly TLiteral[]): TSchema {
  const once = [...new Map(literals.map((literal) => [literal.const, literal])).values()];
  return Type.Union(once, { description: once[0]?.description ?? "" });
}

function columns(property: TSchema, isRequired: boolean): Omit<KeyRow, "key" | "label"> {
  const spelled = aliasesOf(property).map((alias) => ` Also spelled \`${alias}\`.`);
  const fallback: unknown = property.default;
  return {
    type: KindGuard.IsArray(property) ? `a list: each ${expectation(property.items)}` : expectation(property),
    fallback: isRequired ? "required" : fallback === undefined ? "" : `\`${JSON.stringify(fallback)}\``,
    meaning: `${property.description ?? ""}${spelled.join("")}`,
  };
}

/** Keys that this version refuses; each has one row that says so. */
const missing = new Set(Object.keys(missingKeys));

function withoutMissing(rows: readonly KeyRow[]): KeyRow[] {
  return rows.flatMap((row) => {
    if (missing.has(row.key)) {
      return [{ ...row, fallback: "", meaning: `${row.meaning} **Not in this version: refused.**` }];
    }
    const isBelow = [...missing].some(
      (key) => row.key.startsWith(`${key}.`) || row.key.startsWith(`${key}[`),
    );
    return isBelow ? [] : [row];
  });
}

/** Places of mappings on the pages made so far. */
const shownBefore = new Map<string, string>();

function pageOf(kind: ManifestShape): string {
  const shown = new Map(shownBefore);
  const rows = withoutMissing(rowsOf(kind.schema, "", shown));
  for (const [keys, place] of shown)
    if (!shownBefore.has(keys)) shownBefore.set(keys, `${place} of [${kind.schema.title}](${kind.id}.md)`);
  return [
    `# ${kind.schema.title}`,
    "",
    `${kind.schema.description} [How to read the table](../README.md#reference).`,
    "",
    "<!-- Made by scripts/generate-reference.ts. -->",
    "",
    ...keyTable(rows),
    "",
  ].join("\n");
}

/** The page on what clouds cover, from the tables that translate manifests. */
function coveragePage(): string {
  const tables = cloudProviders
    .map(coverageOf)
    .flatMap(({ title, provider, sections }) =>
      [...Map.groupBy(sections, ({ kind }) => kind)].flatMap(([kind, ofKind]) => [
        `## ${title} (\`${provider}\`): ${kind}`,
        "",
        "| Section | Coverage | What is lost |",
        "|---|---|---|",
        ...coverageRows(ofKind),
        "",
      ]),
    );
  return [
    "# Coverage of clouds",
    "",
    "For operators who translate manifests: how well each cloud covers their sections, and the resource that a section goes into.",
    "[The manifest translator](../translator.md#what-becomes-what) explains the words; `argosy translate` also says what to do about each gap.",
    "",
    "<!-- Made by scripts/generate-reference.ts. -->",
    "",
    ...tables,
  ].join("\n");
}

type Section = ReturnType<typeof coverageOf>["sections"][number];

/** Returns a row for each kind of loss, and one for all sections that are left out. */
function coverageRows(sections: readonly Section[]): string[] {
  const [lost, covered] = [true, false].map((isLost) =>
    sections.filter(({ coverage }) => (coverage === "unsupported") === isLost),
  );
  const rows = [
    ...Map.groupBy(covered ?? [], ({ coverage, resources, detail }) =>
      JSON.stringify([coverage, resources, detail]),
    ).values(),
  ];
  return [
    ...rows.flatMap((same) => {
      const [first] = same;
      if (first === undefined) return [];
      const types = first.resources.map((type) => ` \`${type}\``).join(",");
      const detail = firstSentence(first.detail).replaceAll("|", "\\|");
      return [`| ${namesOf(same)} | ${first.coverage}${types} | ${detail} |`];
    }),
    ...(lost === undefined || lost.length === 0
      ? []
      : [`| ${namesOf(lost)} | unsupported | The section is left out. |`]),
  ];
}

const namesOf = (sections: readonly Section[]): string =>
  [...new Set(sections.map(({ section }) => `\`${section}\``))].join(", ");

const firstSentence = (text: string): string => /^.*?\.(?= |$)/.exec(text)?.[0] ?? text;

const pages = new Map([
  ...kinds.map((kind): [string, string] => [`${kind.id}.md`, pageOf(kind)]),
  ["translator-coverage.md", coveragePage()],
]);
const isCheck = process.argv.includes("--check");
let stale = 0;
for (const [name, page] of pages) {
  const file = new URL(name, folder);
  const stored = await Bun.file(file)
    .text()
    .catch(() => "");
  if (stored === page) continue;
  stale++;
  if (isCheck) console.error(`${file.pathname} is not up to date: run scripts/generate-reference.ts`);
  else await Bun.write(file, page);
}
process.exitCode = isCheck && stale > 0 ? 1 : 0;
