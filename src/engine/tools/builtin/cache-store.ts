import { Type } from "@sinclair/typebox";
import { builtinTool } from "./builtin-tool.ts";

const VALUE_CHARS_MAX = 65_536;

/** Key-value notes that the calls of a session share. */
export const cacheStore = builtinTool({
  name: "cache_store",
  isRepeatable: () => true,
  description: "Keeps values under keys for the rest of the conversation: set, get or delete one.",
  docs: "`get` returns `{found, value}`, `set` `{stored}`, `delete` `{deleted}`. Shared by the agents of one session, kept for at most 24 hours, 64 Ki characters a value; a full cache forgets what was used longest ago.",
  parameters: Type.Object(
    {
      action: Type.Union([Type.Literal("get"), Type.Literal("set"), Type.Literal("delete")], {
        description: "get, set or delete.",
      }),
      key: Type.String({ description: "Name of the value.", minLength: 1, maxLength: 255 }),
      value: Type.Optional(Type.Unknown({ description: "For set: any JSON." })),
    },
    { additionalProperties: false },
  ),
  options: Type.Object({}, { additionalProperties: false }),
  describeCall: ({ action, key }) => ({ target: key, operation: action }),
  build(_, { cache }) {
    return async ({ action, key, value }, scope) => {
      switch (action) {
        case "get": {
          const stored = await cache.get(scope, key);
          const isStored = stored !== undefined;
          return {
            success: true,
            data: { key, found: isStored, value: isStored ? JSON.parse(stored) : null },
          };
        }
        case "set": {
          if (value === undefined) return { success: false, error: "set needs a value." };
          const text = JSON.stringify(value);
          if (text.length > VALUE_CHARS_MAX) {
            return {
              success: false,
              error: `The value is longer than ${VALUE_CHARS_MAX} characters of JSON.`,
            };
          }
          await cache.set(scope, key, text);
          return { success: true, data: { key, stored: true } };
        }
        case "delete":
          return { success: true, data: { key, deleted: await cache.delete(scope, key) } };
      }
    };
  },
});
