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
