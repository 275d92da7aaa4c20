import type { Parameter, SecurityNeed } from "./openapi-document.ts";

/** What a hook asks of each request that passes it. */
export interface HookFacts {
  /** One of these sets of credentials is needed. */
  security?: readonly SecurityNeed[];
  parameters?: readonly Parameter[];
}

const asked = Symbol("asked of requests");

/** Marks a hook with what it asks of a request, so that every route behind it says so in the OpenAPI document. */
export function documented<Hook extends object>(hook: Hook, facts: HookFacts): Hook {
  return Object.assign(hook, { [asked]: facts });
}

/** The facts of a route's hooks, which Elysia keeps as lists of `{fn}`. */
export function hookFacts(hooks: object): HookFacts[] {
  return Object.values(hooks).flatMap((list) =>
    Array.isArray(list)
      ? list.flatMap((hook: { fn?: { [asked]?: HookFacts } }) => hook.fn?.[asked] ?? [])
      : [],
  );
}
