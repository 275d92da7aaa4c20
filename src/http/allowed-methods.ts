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
