import type { DocumentSchema } from "./schema-collection.ts";

export interface Parameter {
  name: string;
  in: "path" | "query" | "header";
  required: boolean;
  description?: string;
  schema: DocumentSchema;
}

/** Names of `securitySchemes` that a request needs together. */
export type SecurityNeed = Record<string, string[]>;

/** Requirements of a hook for each request that passes it. */
export interface HookFacts {
  /** One of these sets of credentials is required. */
  security?: readonly SecurityNeed[];
  parameters?: readonly Parameter[];
}

const asked = Symbol("asked of requests");

/** Adds a hook's requirements to it, so that the OpenAPI document lists them for every route behind it. */
export function documented<Hook extends object>(hook: Hook, facts: HookFacts): Hook {
  return Object.assign(hook, { [asked]: facts });
}

/** Returns the facts of a route's hooks, which Elysia keeps as lists of `{fn}`. */
export function hookFacts(hooks: object): HookFacts[] {
  return Object.values(hooks).flatMap((list) =>
    Array.isArray(list)
      ? list.flatMap((hook: { fn?: { [asked]?: HookFacts } }) => hook.fn?.[asked] ?? [])
      : [],
  );
}
