/** Tenants whose owners are known; those told of longest ago are forgotten. */
const tenantsMax = 100_000;

/**
 * The person or paying party behind each tenant, as the service that knows it told last. Whatever tenants share gives turns by owner, so
 * that several tenants of one person don't wait in several lines.
 */
export class KnownOwners {
  readonly #owners = new Map<string, string>();
  readonly #tenants = new Map<string, Set<string>>();

  /** Notes who owns the tenant; absent: nobody else than the tenant itself. */
  told(tenant: string, owner: string | undefined): void {
    this.#forget(tenant);
    if (owner === undefined) return;
    this.#owners.set(tenant, owner);
    const tenants = this.#tenants.get(owner) ?? new Set();
    this.#tenants.set(owner, tenants.add(tenant));
    const [oldest] = this.#owners.keys();
    if (this.#owners.size > tenantsMax && oldest !== undefined) this.#forget(oldest);
  }

  isTold(tenant: string): boolean {
    return this.#owners.has(tenant);
  }

  /** The owner, by a name that no tenant has; of a tenant without one, the tenant. */
  of(tenant: string): string {
    const owner = this.#owners.get(tenant);
    return owner === undefined ? tenant : `${mark}${owner}`;
  }

  /** The tenants that are known of an owner, by the name that `of` gives. */
  tenantsOf(name: string): string[] {
    if (!name.startsWith(mark)) return [name];
    return [...(this.#tenants.get(name.slice(mark.length)) ?? [])];
  }

  #forget(tenant: string): void {
    const owner = this.#owners.get(tenant);
    if (owner === undefined) return;
    this.#owners.delete(tenant);
    const tenants = this.#tenants.get(owner);
    tenants?.delete(tenant);
    if (tenants?.size === 0) this.#tenants.delete(owner);
  }
}

const mark = "owner ";
