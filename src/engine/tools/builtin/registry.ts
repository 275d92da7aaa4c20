import type { ToolRow } from "../../../manifest/registries.ts";
import type { BuiltinTool } from "./builtin-tool.ts";
import { cacheStore } from "./cache-store.ts";
import { datetimeNow } from "./datetime-now.ts";
import { jsonTransform } from "./json-transform.ts";

/** Every built-in tool by its name. */
export const builtinTools: ReadonlyMap<string, BuiltinTool> = new Map(
  [datetimeNow, jsonTransform, cacheStore].map((tool) => [tool.name, tool]),
);

/** What a manifest may say about each of them. */
export const builtinToolRows: ReadonlyMap<string, ToolRow> = new Map(
  [...builtinTools].map(([name, { options, docs }]) => [name, { options, description: docs }]),
);
