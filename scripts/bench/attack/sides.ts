import type { Sent, SideName } from "./attack.ts";

/** Where the attacker stands: what its requests begin with, and who it is. */
export interface Side {
  name: SideName;
  url: string;
  prefix: string;
  headers: Record<string, string>;
}

/** Key with which the attacker sends by the gateway. */
export const gatewayKey = "send-key-of-mallory";

/** Returns a new attacker: a tenant of the free plan, an org, the holder of a send key, or a stranger at the daemon's port. */
export async function newAttacker(name: SideName, url: string, number: number): Promise<Side> {
  switch (name) {
    case "platform":
      return { name, url, prefix: "/api/v1", headers: await newTenant(url, number) };
    case "daemon":
      return { name, url, prefix: "/v1", headers: {} };
    case "cloud":
      return { name, url, ...(await newOrg(url, number)) };
    case "gateway":
      return { name, url, prefix: "/api/v1/messages", headers: { "x-gateway-key": gatewayKey } };
  }
}

/** Sends a request and returns the status of its answer. With `ATTACK_LOG`, prints what was refused. */
export async function send(side: Side, { method = "POST", path, type, body }: Sent): Promise<number> {
  const response = await fetch(`${side.url}${side.prefix}${path}`, {
    method,
    headers: { "content-type": type ?? "application/json", ...side.headers },
    ...(body === undefined ? {} : { body }),
  });
  const text = await response.text();
  if (process.env.ATTACK_LOG !== undefined && response.status >= 400)
    console.error(path, response.status, text.slice(0, 300));
  return response.status;
}

/** Sends all at once, and returns how often each status came. */
export async function sendAll(side: Side, all: readonly Sent[]): Promise<Record<number, number>> {
  const counts: Record<number, number> = {};
  await Promise.all(
    all.map(async (one) => {
      const status = await send(side, one).catch(() => 0);
      counts[status] = (counts[status] ?? 0) + 1;
    }),
  );
  return counts;
}

/** A person, a tenant of the free plan and its key. */
async function newTenant(url: string, number: number): Promise<Record<string, string>> {
  const ask = async (path: string, body: object, headers: Record<string, string> = {}) => {
    const response = await fetch(`${url}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
    return (await response.json()) as Record<string, string>;
  };
  const { accessToken } = await ask("/auth/register", {
    email: `mallory${number}@example.com`,
    password: "correct horse",
    displayName: "Mallory",
  });
  const bearer = { authorization: `Bearer ${accessToken}` };
  const { id } = await ask("/api/v1/tenants", { displayName: "Mallory Ltd" }, bearer);
  const { rawKey } = await ask(`/api/v1/tenants/${id}/keys`, { label: "k" }, bearer);
  return { "x-api-key": rawKey ?? "" };
}

/** A person of the cloud, whose first sign-in makes an org of the free plan. */
async function newOrg(url: string, number: number): Promise<Pick<Side, "prefix" | "headers">> {
  const response = await fetch(`${url}/api/v1/auth/dev/login`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ email: `mallory${number}@example.com`, name: "Mallory" }),
  });
  const { access_token, org_slug } = (await response.json()) as Record<string, string>;
  return { prefix: `/api/v1/orgs/${org_slug}`, headers: { authorization: `Bearer ${access_token}` } };
}
