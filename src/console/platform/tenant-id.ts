import { useLocation } from "wouter";

const name = "argosy-tenant";

/** Returns the tenant in the address, or the last one shown. */
export function useTenantId(): string | undefined {
  const [location] = useLocation();
  return tenantIdOf(location);
}

/** Returns the tenant of an address, and remembers it; for other addresses, the last one shown. */
export function tenantIdOf(location: string): string | undefined {
  const named = /^\/platform\/t\/([^/]+)/.exec(location)?.[1];
  if (named === undefined) return localStorage.getItem(name) ?? undefined;
  const id = decodeURIComponent(named);
  localStorage.setItem(name, id);
  return id;
}

/** Forgets a tenant that no longer exists. */
export const forgetTenantId = (): void => localStorage.removeItem(name);
