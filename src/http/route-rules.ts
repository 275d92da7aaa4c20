import type { AnyElysia } from "elysia";

type Route = AnyElysia["routes"][number];

const AsyncFunction = (async () => undefined).constructor as FunctionConstructor;

/**
 * Refuses, when a service is built, routes that Elysia would accept and then handle wrongly:
 * - a route whose body has no strict reader: Elysia's own reader repairs bad UTF-8 and has no limit;
 * - a path in two spellings, of which its router loses one;
 * - a body that only Elysia checks (see `jsonBody`);
 * - a handler that is not declared async: Elysia guesses from its text whether it returns a promise. A promise that it does not await
 * rejects past the error handler.
 */
export function requireSoundRoutes(routes: readonly Route[]): void {
  const spellings = new Map<string, string>();
  for (const { method, path, handler, hooks } of routes) {
    if (method !== "GET" && hooks.parse?.length !== 1) {
      throw new Error(
        `${method} ${path}: its plugin must use jsonRoutes() or rawRoutes(), and just one of them`,
      );
    }
    if (hooks.body !== undefined && hooks.transform === undefined) {
      throw new Error(`${method} ${path}: give its body's schema by jsonBody()`);
    }
    if (!(handler instanceof AsyncFunction)) throw new Error(`${method} ${path}: declare its handler async`);
    const plain = path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
    const other = spellings.get(plain) ?? path;
    if (other !== path) throw new Error(`${other} and ${path} are one path in two spellings; register one`);
    spellings.set(plain, path);
  }
}

/** A route as Elysia lists it: the path has `:name` segments, and may end with `*`. */
export interface RoutePath {
  method: string;
  path: string;
}

/** Returns the methods of `path` in `routes`, for `Allow`. `GET` adds `HEAD`, any method adds `OPTIONS`. Empty if it has none. */
export function allowedMethods(routes: readonly RoutePath[], path: string): string[] {
  const sent = segments(path);
  const methods = new Set<string>();
  for (const route of routes) {
    if (!matches(segments(route.path), sent)) continue;
    methods.add(route.method);
    if (route.method === "GET") methods.add("HEAD");
  }
  if (methods.size > 0) methods.add("OPTIONS");
  return [...methods].sort();
}

function matches(pattern: readonly string[], sent: readonly string[]): boolean {
  const isOpenEnded = pattern.at(-1) === "*";
  if (isOpenEnded ? sent.length < pattern.length : sent.length !== pattern.length) return false;
  return pattern.every(
    (segment, index) => segment === "*" || segment.startsWith(":") || segment === sent[index],
  );
}

function segments(path: string): string[] {
  return (path.endsWith("/") ? path.slice(0, -1) : path).split("/");
}
