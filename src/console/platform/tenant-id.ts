import { useLocation } from "wouter";

const name = "argosy-tenant";

/** The tenant that the address names, or the one that was looked at last. */
export function useTenantId(): string | undefined {
  const [location] = useLocation();
  const named = /^\/platform\/t\/([^/]+)/.exec(location)?.[1];
  if (named === undefined) return localStorage.getItem(name) ?? undefined;
  const id = decodeURIComponent(named);
  localStorage.setItem(name, id);
  return id;
}

/** For a tenant that is gone. */
export const forgetTenantId = (): void => localStorage.removeItem(name);
