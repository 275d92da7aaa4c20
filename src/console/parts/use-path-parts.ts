import { useMemo } from "react";
import { useLocation } from "wouter";
import { pathParts } from "./path-parts.ts";

/** The parts of the page's path as they were before they were encoded: the router's parameters leave `%2F` and the like. */
export function usePathParts(): readonly string[] {
  const [location] = useLocation();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the router says when the address has changed, and not all of it
  return useMemo(() => pathParts(window.location.pathname), [location]);
}
