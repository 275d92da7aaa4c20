/** A tenant as people name it. */
export interface NamedTenant {
  id: string;
  crName: string;
  displayName?: string;
}

/**
 * Returns the tenants that someone means by `wanted`: the one with this id or name, or else those with this display name, which several may
 * have.
 */
export function tenantsNamed<T extends NamedTenant>(tenants: readonly T[], wanted: string): T[] {
  const named = tenants.filter(({ id, crName }) => wanted === id || wanted === crName);
  return named.length > 0 ? named : tenants.filter(({ displayName }) => wanted === displayName);
}
