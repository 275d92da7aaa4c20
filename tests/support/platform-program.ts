import { expect } from "bun:test";
import { type Answer, answerOf, type CallOptions } from "./daemon.ts";
import type { ServerProcess } from "./executable.ts";

/** What the platform of the executable serves. */
export const platformServices = ["daemon", "platform"];
export const operatorToken = "operator-token-of-at-least-32-bytes";
export const asOperator = { "x-operator-token": operatorToken };

/** The agent that `newTenant` creates. */
export const manifest = JSON.stringify({
  apiVersion: "platform/v1",
  kind: "Agent",
  metadata: { name: "helper" },
  spec: {
    model: { primary: { provider: "rehearsal", model: "rehearsal" } },
    prompts: { system: "You help." },
  },
});

export type Ask = (method: string, path: string, options?: CallOptions) => Promise<Answer>;

/** Calls the platform of a server. */
export const atPlatform =
  (server: ServerProcess): Ask =>
  async (method, path, { body, headers = {} } = {}) => {
    const sent = body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) };
    const type = body === undefined ? {} : { "content-type": "application/json" };
    const url = `${server.urlOf("platform")}${path}`;
    return answerOf(await fetch(url, { method, headers: { ...type, ...headers }, ...sent }));
  };

/** Creates a person with a tenant, a key and an agent. */
export async function newTenant(ask: Ask) {
  const account = { email: "ada@example.com", password: "correct horse", displayName: "Ada" };
  const { body: signedIn } = await ask("POST", "/auth/register", { body: account });
  const asPerson = { authorization: `Bearer ${signedIn.accessToken}` };
  const { body: tenant } = await ask("POST", "/api/v1/tenants", {
    body: { displayName: "Ada Ltd" },
    headers: asPerson,
  });
  const { body: key } = await ask("POST", `/api/v1/tenants/${tenant.id}/keys`, {
    body: { label: "shop" },
    headers: asPerson,
  });
  const headers = { "x-api-key": key.rawKey };
  expect((await ask("POST", "/api/v1/agents", { body: manifest, headers })).status).toBe(201);
  return { account, tenantId: tenant.id as string, headers };
}

export const tariff = {
  provider: "rehearsal",
  model: "rehearsal",
  credits_per_1k_in_micros: 1_000_000,
  credits_per_1k_out_micros: 1_000_000,
};
