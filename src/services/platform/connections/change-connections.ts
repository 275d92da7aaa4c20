import { and, asc, eq } from "drizzle-orm";
import {
  type Connection,
  type ConnectionInput,
  type ConnectionList,
  connectionName,
} from "../../../contracts/platform/connections.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { Sealer } from "../../../storage/sealing/seal.ts";
import type { TenantActor } from "../auth/credentials.ts";
import type { ConnectionDeps } from "./deps.ts";
import { connectionSeal } from "./read-connections.ts";

/** Maximum number of connections of one tenant. */
const connectionsMax = 100;
const materialBytesMax = 16 * 1024;
/** Shown instead of a secret. */
const mask = "•••";

/** Creates a connection or replaces it with all of its contents. */
export async function putConnection(
  deps: ConnectionDeps,
  { tenantId }: TenantActor,
  name: string,
  input: ConnectionInput,
): Promise<Connection> {
  const { storage, clock } = deps;
  const sealer = requireSealer(deps);
  requireSound(name, input);
  const { connections } = storage.tables;
  const updatedAt = clock.now();
  const baseUrl = input.base_url;
  const material = sealer.seal(JSON.stringify(input.material), connectionSeal(tenantId, name));
  await storage.transact(async (tx) => {
    const known = await tx
      .select({ name: connections.name })
      .from(connections)
      .where(eq(connections.tenantId, tenantId));
    if (known.length >= connectionsMax && !known.some((one) => one.name === name)) {
      throw new AppError(
        "conflict",
        "connection_limit_reached",
        `A tenant may have at most ${connectionsMax} connections.`,
      );
    }
    await tx
      .insert(connections)
      .values({ tenantId, name, baseUrl, material, updatedAt })
      .onConflictDoUpdate({
        target: [connections.tenantId, connections.name],
        set: { baseUrl, material, updatedAt },
      });
  });
  return { name, base_url: baseUrl, updated_at: updatedAt.toISOString() };
}

/** Lists names and addresses. Credentials are never shown. */
export async function listConnections(
  deps: ConnectionDeps,
  { tenantId }: TenantActor,
): Promise<ConnectionList> {
  requireSealer(deps);
  const { read, tables } = deps.storage;
  const { connections } = tables;
  const rows = await read
    .select({ name: connections.name, baseUrl: connections.baseUrl, updatedAt: connections.updatedAt })
    .from(connections)
    .where(eq(connections.tenantId, tenantId))
    .orderBy(asc(connections.name));
  return {
    connections: rows.map(({ name, baseUrl, updatedAt }) => ({
      name,
      base_url: baseUrl,
      updated_at: updatedAt.toISOString(),
    })),
  };
}

export async function deleteConnection(
  deps: ConnectionDeps,
  { tenantId }: TenantActor,
  name: string,
): Promise<void> {
  requireSealer(deps);
  const { storage } = deps;
  const { connections } = storage.tables;
  const removed = await storage.transact((tx) =>
    tx
      .delete(connections)
      .where(and(eq(connections.tenantId, tenantId), eq(connections.name, name)))
      .returning({ name: connections.name }),
  );
  if (removed.length === 0) throw new AppError("not_found", "not_found", "There is no such connection.");
}

function requireSealer({ sealer }: ConnectionDeps): Sealer {
  if (sealer !== undefined) return sealer;
  throw new AppError(
    "unavailable",
    "connections_key_missing",
    "Connections can't be stored, because no sealing key is configured.",
    {
      details: {
        hint: "Ask the operator to set ARGOSY_SEALING_KEYS; `argosy secrets init --print` creates a key.",
      },
    },
  );
}

function requireSound(name: string, { base_url, material }: ConnectionInput): void {
  if (!new RegExp(connectionName).test(name)) {
    throw invalidField("name", "must be 1 to 63 lower-case letters, digits, - and _, such as api_crm");
  }
  const url = URL.parse(base_url);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw invalidField("base_url", "must be an http or https address");
  }
  if (url.username !== "" || url.password !== "") {
    throw invalidField("base_url", "must not contain credentials; put them in material");
  }
  if (url.search !== "" || url.hash !== "") {
    throw invalidField("base_url", "must not contain a query or a fragment");
  }
  const text = JSON.stringify(material);
  if (Buffer.byteLength(text) > materialBytesMax)
    throw invalidField("material", "must be at most 16 KiB as JSON");
  if (text.includes(mask))
    throw invalidField("material", `contains "${mask}", a placeholder; send the secret itself`);
}

function invalidField(path: string, message: string): AppError {
  return new AppError("invalid", "invalid_request", `The request is not valid: ${path} ${message}.`, {
    details: { problems: [{ path, message }] },
  });
}
