import { useLocation } from "wouter";

const name = "argosy-cloud-org";

/** Returns the org of an address, and remembers it; for other addresses, the last one shown. */
export function orgSlugOf(location: string): string | undefined {
  const named = /^\/cloud\/o\/([^/]+)/.exec(location)?.[1];
  if (named === undefined) return localStorage.getItem(name) ?? undefined;
  try {
    const slug = decodeURIComponent(named);
    localStorage.setItem(name, slug);
    return slug;
  } catch {
    return named;
  }
}

/** Forgets an org that the user can't open. */
export const forgetOrgSlug = (): void => localStorage.removeItem(name);

/** Returns the org in the address, or the last one shown. */
export function useOrgSlug(): string | undefined {
  const [location] = useLocation();
  return orgSlugOf(location);
}
