import { useMemo } from "react";
import { useLocation } from "wouter";
import { pathParts } from "./path-parts.ts";

/** Returns the decoded parts of the page's path: the router's parameters keep `%2F` and similar escapes. */
export function usePathParts(): readonly string[] {
  const [location] = useLocation();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the router says when the address has changed, and not all of it
  return useMemo(() => pathParts(globalThis.location.pathname), [location]);
}
