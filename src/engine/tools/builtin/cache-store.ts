import { Type } from "@sinclair/typebox";
import { closed } from "../../../manifest/schema-vocabulary.ts";
import type { ToolContext } from "../tool.ts";
import { builtinTool } from "./builtin-tool.ts";

const valueCharsMax = 64 * 1024;

/** Small values, shared by the runs of one session. */
export const cacheStore = builtinTool({
  name: "cache_store",
  description: "Keeps small values for this session: set, get or delete a value by its key.",
  parameters: closed({
    action: Type.Union([Type.Literal("get"), Type.Literal("set"), Type.Literal("delete")], {
      description: "What to do.",
      expects: "one of get, set, delete",
    }),
    key: Type.String({ minLength: 1, maxLength: 255, description: "The value's name." }),
    value: Type.Optional(Type.Unknown({ description: "For set: any JSON value, at most 64 KiB." })),
  }),
  options: closed({}),
  build(_options, { cache }) {
    return async ({ action, key, value }, context) => {
      const scope = scopeOf(context);
      switch (action) {
        case "get": {
          const found = await cache.get(scope, key);
          return { success: true, data: { key, found: found !== undefined, value: found ?? null } };
        }
        case "set": {
          if (value === undefined) return { success: false, error: "`value` is needed to set." };
          if (JSON.stringify(value).length > valueCharsMax) return { success: false, error: "`value` is over 64 KiB." };
          await cache.set(scope, key, value);
          return { success: true, data: { key, stored: true } };
        }
        case "delete":
          return { success: true, data: { key, deleted: await cache.delete(scope, key) } };
      }
    };
  },
});

function scopeOf({ tenant, agent, sessionId }: ToolContext): string {
  return JSON.stringify([tenant, agent, sessionId]);
}
