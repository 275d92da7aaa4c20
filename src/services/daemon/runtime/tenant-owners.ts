/** Tenants whose owners are known; those told of longest ago are forgotten. */
const tenantsMax = 100_000;

/**
 * The person or paying party behind each tenant, as its control plane told with the latest call. Whatever tenants share gives turns by owner, so
 * that several tenants of one person don't wait in several lines.
 */
export class TenantOwners {
  readonly #owners = new Map<string, string>();

  /** Notes who owns the tenant; absent: nobody else than the tenant itself. */
  told(tenant: string, owner: string | undefined): void {
    this.#owners.delete(tenant);
    if (owner === undefined) return;
    this.#owners.set(tenant, owner);
    const [oldest] = this.#owners.keys();
    if (this.#owners.size > tenantsMax && oldest !== undefined) this.#owners.delete(oldest);
  }

  /** The owner, by a name that no tenant and no other caller has; of a tenant without one, the tenant. */
  of(tenant: string): string {
    const owner = this.#owners.get(tenant);
    return owner === undefined ? tenant : `owner ${owner}`;
  }
}
