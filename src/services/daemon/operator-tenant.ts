/** Tenant of all users of the daemon's own API. Tenants of the other services are invisible there. */
export const operatorTenant = "operator";
