import { and, asc, type Column, eq, type SQL, sql } from "drizzle-orm";
import type { WizardConfig } from "../../../contracts/cloud/agents.ts";
import {
  isKeyedProvider,
  keyedProviders,
  type OrgProviderList,
  type ProviderKeyInput,
  type ProviderSaved,
} from "../../../contracts/cloud/providers.ts";
import { writeAudit } from "../../../control-plane/audit/write-audit.ts";
import { AppError, type Problem } from "../../../kit/app-error.ts";
import { isPostgres } from "../../../storage/json-rows.ts";
import type { SealContext, Sealer } from "../../../storage/sealing/seal.ts";
import { statement } from "../../../storage/statement.ts";
import type { ReadQuery } from "../../../storage/storage.ts";
import type { OrgActor } from "../access/credentials.ts";
import { changeBy } from "../audit/change-by.ts";
import type { CloudStoreDeps, CloudTables } from "../tables.ts";
import { splitModel } from "./model-name.ts";

/** Dependencies of an org's provider keys. */
export interface ProviderDeps extends CloudStoreDeps {
  /** Undefined if no sealing keys are configured; provider keys can't be stored then. */
  sealer: Sealer | undefined;
}

/** Adds or replaces the key of a provider. */
export async function saveProviderKey(
  deps: ProviderDeps,
  actor: OrgActor,
  { provider, api_key }: ProviderKeyInput,
): Promise<ProviderSaved> {
  const { storage, clock, sealer } = deps;
  const { org } = actor;
  if (!isKeyedProvider(provider)) throw notKeyed(provider);
  if (sealer === undefined) {
    throw new AppError(
      "unavailable",
      "sealing_keys_needed",
      "This server has no sealing keys, so it can't store provider keys.",
      { details: { hint: "Its operator sets ARGOSY_SEALING_KEYS." } },
    );
  }
  const { providerKeys } = storage.tables;
  const change = {
    sealed: sealer.seal(api_key, sealOf(org.id, provider)),
    masked: maskOf(api_key),
    addedAt: clock.now(),
  };
  await storage.transact(async (tx) => {
    await tx
      .insert(providerKeys)
      .values({ orgId: org.id, provider, ...change })
      .onConflictDoUpdate({ target: [providerKeys.orgId, providerKeys.provider], set: change });
    await writeAudit(deps, tx, change.addedAt, changeBy(actor, "provider.save", provider));
  });
  return { provider, status: "saved" };
}

/** Lists the configured providers. Keys are never shown. */
export async function listProviderKeys(
  { storage }: CloudStoreDeps,
  { org }: OrgActor,
): Promise<OrgProviderList> {
  const { providerKeys } = storage.tables;
  const rows = await storage.read
    .select({ provider: providerKeys.provider, masked: providerKeys.masked, addedAt: providerKeys.addedAt })
    .from(providerKeys)
    .where(eq(providerKeys.orgId, org.id))
    .orderBy(asc(providerKeys.provider));
  return {
    providers: rows.map(({ provider, masked, addedAt }) => ({
      provider,
      masked_key: masked,
      added_at: addedAt.toISOString(),
    })),
  };
}

export async function deleteProviderKey(
  deps: CloudStoreDeps,
  actor: OrgActor,
  provider: string,
): Promise<void> {
  const { storage, clock } = deps;
  const { providerKeys } = storage.tables;
  await storage.transact(async (tx) => {
    const deleted = await tx
      .delete(providerKeys)
      .where(and(eq(providerKeys.orgId, actor.org.id), eq(providerKeys.provider, provider)))
      .returning({ provider: providerKeys.provider });
    if (deleted.length === 0) {
      throw new AppError("not_found", "not_found", "The org has no key of this provider.");
    }
    await writeAudit(deps, tx, clock.now(), changeBy(actor, "provider.delete", provider));
  });
}

/** Sealed keys of an org by provider. */
export type SealedKeys = Readonly<Record<string, string>>;

/** Returns an expression for the sealed keys of the org whose id is in a column of the statement around it. */
export function sealedKeysOf(keys: CloudTables["providerKeys"], orgId: Column): SQL<SealedKeys> {
  const [object, none] = isPostgres(keys)
    ? [sql`json_object_agg`, sql`'{}'::json`]
    : [sql`json_group_object`, sql`'{}'`];
  const ofOrg = sql`(select ${object}(${keys.provider}, ${keys.sealed}) from ${keys} where ${keys.orgId} = ${orgId})`;
  // In an expression of its own: in a select from one table, drizzle leaves the table's name out of the columns of the outermost one.
  return sql`coalesce(${ofOrg}, ${none})`.mapWith(readSealed);
}

/** SQLite gives a text, PostgreSQL a value. */
const readSealed = (stored: string | SealedKeys): SealedKeys =>
  typeof stored === "string" ? JSON.parse(stored) : stored;

/** Returns the opened keys of the named providers. Throws 400 `provider_key_missing` for one that the org has not. */
export async function requireProviderKeys(
  deps: ProviderDeps,
  orgId: string,
  providers: readonly string[],
): Promise<Record<string, string>> {
  if (!providers.some(isKeyedProvider)) return {};
  const rows = await keysOf(deps.storage.read, deps.storage.tables).execute({ orgId });
  return openProviderKeys(
    deps,
    orgId,
    Object.fromEntries(rows.map((row) => [row.provider, row.sealed])),
    providers,
  );
}

/** `requireProviderKeys` for keys that have been read. */
export function openProviderKeys(
  { sealer }: Pick<ProviderDeps, "sealer">,
  orgId: string,
  sealed: SealedKeys,
  providers: readonly string[],
): Record<string, string> {
  const needed = providers.filter(isKeyedProvider);
  const missing = needed.filter((provider) => sealer === undefined || !Object.hasOwn(sealed, provider));
  if (missing.length > 0) throw keyMissing(missing.map((provider) => missingKey("step1", provider)));
  return Object.fromEntries(
    needed.map((provider) => [provider, sealer?.open(sealed[provider] ?? "", sealOf(orgId, provider)) ?? ""]),
  );
}

/** Returns a problem for each model of a config whose provider needs a key that the org has not. */
export async function missingKeys(
  { storage: { read, tables } }: ProviderDeps,
  orgId: string,
  { step1 = {} }: WizardConfig,
): Promise<Problem[]> {
  const rows = await keysOf(read, tables).execute({ orgId });
  const named = [
    { path: "step1.model", model: step1.model },
    { path: "step1.fallback_model", model: step1.fallback_model },
  ];
  return named.flatMap(({ path, model }) => {
    if (model === undefined) return [];
    const { provider } = splitModel(model);
    const isMissing = isKeyedProvider(provider) && rows.every((row) => row.provider !== provider);
    return isMissing ? [missingKey(path, provider)] : [];
  });
}

const missingKey = (path: string, provider: string): Problem => ({
  path,
  message: `needs a key of the org for ${provider}`,
});

const keysOf = statement((query: ReadQuery, { providerKeys }: CloudTables) =>
  query
    .select({ provider: providerKeys.provider, sealed: providerKeys.sealed })
    .from(providerKeys)
    .where(eq(providerKeys.orgId, sql.placeholder("orgId")))
    .prepare("cloud_provider_keys"),
);

const sealOf = (tenant: string, name: string): SealContext => ({ purpose: "provider_key", tenant, name });

/** Shows the last four characters of a key that is long enough to keep the rest secret. */
const maskOf = (key: string) => (key.length >= 16 ? `••••${key.slice(-4)}` : "••••");

/** Creates the error for keys that models need. */
export const keyMissing = (problems: readonly Problem[]) =>
  new AppError(
    "invalid",
    "provider_key_missing",
    `${problems.map(({ path, message }) => `${path} ${message}`).join("; ")}. Add keys with POST …/providers.`,
    { details: { problems: [...problems] } },
  );

function notKeyed(provider: string): AppError {
  const message =
    provider === "ollama" || provider === "rehearsal"
      ? `needs no key: ${provider}`
      : `must be one of ${keyedProviders.join(", ")}`;
  return new AppError("invalid", "invalid_request", `The body is not valid: provider ${message}.`, {
    details: { problems: [{ path: "provider", message }] },
  });
}
