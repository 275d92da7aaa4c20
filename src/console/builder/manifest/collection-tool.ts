import { valueAt } from "../../../manifest/value-at.ts";
import { readYaml } from "../../../manifest/yaml/read-yaml.ts";
import { isRecord } from "../../parts/is-record.ts";
import { appendToManifest } from "./change-manifest.ts";
import { freeName } from "./manifest-checks.ts";

const toolsPath = ["spec", "tools"];

function toolsOf(manifest: unknown): readonly unknown[] {
  const tools = valueAt(manifest, toolsPath);
  return Array.isArray(tools) ? tools : [];
}

/** Returns the entry of a tool that searches a collection without a pipeline, with a name that no other tool of the manifest has. */
export function collectionTool(manifest: unknown, collection: string) {
  const taken = toolsOf(manifest).map((tool) => String(valueAt(tool, ["name"])));
  const name = `search_${collection.replace(/[^a-zA-Z0-9_-]/g, "_")}`.slice(0, 64);
  return { name: freeName(name, taken), type: "rag", config: { collection } };
}

/** Returns what a manifest's tools name as their collections. */
export const toolCollections = (manifest: unknown): ReadonlySet<unknown> =>
  new Set(toolsOf(manifest).map((tool) => valueAt(tool, ["config", "collection"])));

/** Adds the tool that searches a collection, unless a tool of the agent does. Leaves a text that is not an agent's as it is. */
export function addCollectionTool(text: string, collection: string): string {
  const reading = readYaml(text);
  if (!("value" in reading) || !isRecord(reading.value.spec)) return text;
  if (toolCollections(reading.value).has(collection)) return text;
  return appendToManifest(text, toolsPath, collectionTool(reading.value, collection));
}
