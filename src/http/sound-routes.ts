import type { AnyElysia } from "elysia";

type Route = AnyElysia["routes"][number];

const AsyncFunction = (async () => undefined).constructor as FunctionConstructor;

/**
 * Refuses, when a service is put together, what Elysia would accept and then do wrong: a route whose body nobody reads
 * strictly (Elysia's own reader repairs bad UTF-8 and has no limit), a path in two spellings, of which its router
 * loses one, a body that Elysia alone checks (see `jsonBody`), and a handler that isn't declared async: Elysia guesses by its text whether it gives a promise, and one that
 * it doesn't await rejects past the error handler.
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
