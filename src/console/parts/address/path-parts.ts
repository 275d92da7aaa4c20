import { useMemo } from "react";
import { useLocation } from "wouter";

/** Returns the decoded parts of the page's path: the router's parameters keep `%2F` and similar escapes. */
export function usePathParts(): readonly string[] {
  const [location] = useLocation();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the router says when the address has changed, and not all of it
  return useMemo(() => pathParts(globalThis.location.pathname), [location]);
}

/** Splits a path: `/studio/tools/a%2Fb` becomes `["studio", "tools", "a/b"]`. A part with malformed escapes stays unchanged. */
export const pathParts = (pathname: string): string[] => pathname.split("/").slice(1).map(decode);

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
