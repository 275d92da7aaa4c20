import { and, eq } from "drizzle-orm";
import type { Binding, BindingChange, BindingInput } from "../../../contracts/gateway/bindings.ts";
import { entityTag, type RequireMatch } from "../../../http/entity-tag.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { Sealer } from "../../../storage/sealing/seal.ts";
import { requireSealer } from "../accounts/credentials.ts";
import { findAccount } from "../accounts/store.ts";
import type { GatewayStoreDeps } from "../tables.ts";
import { type BindingCheck, requireAgent } from "./agent-check.ts";
import { type BindingConfig, bindingSeal, mergeConfig, requireConfig, showConfig } from "./binding-config.ts";
import { type BindingRow, findBindingOf, getAnyBinding, openConfig, presentBinding } from "./store.ts";

export interface BindingPorts extends GatewayStoreDeps {
  sealer: Sealer | undefined;
  agents: BindingCheck;
  /** True if callbacks may go to http addresses. */
  allowsHttpCallbacks: boolean;
}

/** Binds an account. Throws 400, 422 (account, agent or key), 409 (it has a binding) or 502 (the platform could not be asked). */
export async function createBinding(
  ports: BindingPorts,
  input: BindingInput,
  signal: AbortSignal,
): Promise<Binding> {
  const { storage, clock, newId } = ports;
  const { tenant_id: tenantId, account_id: accountId } = input;
  const sealer = requireSealer(ports.sealer);
  const config = mergeConfig({}, input.config);
  const account = await findAccount(storage.read, storage.tables, tenantId, accountId);
  if (account === undefined || (input.channel !== undefined && input.channel !== account.channel)) {
    throw accountUnknown(input);
  }
  requireConfig(config, {
    channel: account.channel,
    entryAgent: input.entry_agent,
    allowsHttpCallbacks: ports.allowsHttpCallbacks,
  });
  if ((await findBindingOf(storage.read, storage.tables, tenantId, accountId)) !== undefined)
    throw bound(accountId);
  await checkAgent(ports, input.entry_agent, config, signal);
  const now = clock.now();
  const id = newId();
  const row: BindingRow = {
    id,
    tenantId,
    channel: account.channel,
    accountId,
    entryAgent: input.entry_agent ?? null,
    fallbackMessage: input.fallback_message ?? "",
    config: sealer.seal(JSON.stringify(config), bindingSeal(tenantId, id)),
    masked: showConfig(config),
    revision: 1,
    createdAt: now,
    updatedAt: now,
  };
  await storage.transact(async (tx) => {
    // The account may have been deleted while the platform was asked.
    if ((await findAccount(tx, storage.tables, tenantId, accountId)) === undefined)
      throw accountUnknown(input);
    const added = await tx
      .insert(storage.tables.bindings)
      .values(row)
      .onConflictDoNothing()
      .returning({ id: storage.tables.bindings.id });
    if (added.length === 0) throw bound(accountId);
  });
  return presentBinding(row);
}

/** Another change of the same binding may come in between. */
const roundsMax = 3;

/** ETag of a binding. */
export const bindingTag = ({ id, revision }: Pick<BindingRow, "id" | "revision">) =>
  entityTag([id, revision]);

/** Changes a binding and checks its agent again. Throws 400, 404, 422 or 502, and what `match` throws if it has changed. */
export async function changeBinding(
  ports: BindingPorts,
  id: string,
  change: BindingChange,
  signal: AbortSignal,
  match: RequireMatch = () => {},
): Promise<BindingRow> {
  const { storage, clock } = ports;
  const { bindings } = storage.tables;
  const sealer = requireSealer(ports.sealer);
  for (let round = 1; round <= roundsMax; round++) {
    const known = await getAnyBinding(storage.read, storage.tables, id);
    match(bindingTag(known));
    const config = mergeConfig(openConfig(sealer, known), change.config);
    const entryAgent = change.entry_agent ?? known.entryAgent ?? undefined;
    requireConfig(config, {
      channel: known.channel,
      entryAgent,
      allowsHttpCallbacks: ports.allowsHttpCallbacks,
    });
    await checkAgent(ports, entryAgent, config, signal);
    const row: BindingRow = {
      ...known,
      entryAgent: entryAgent ?? null,
      fallbackMessage: change.fallback_message ?? known.fallbackMessage,
      config: sealer.seal(JSON.stringify(config), bindingSeal(known.tenantId, id)),
      masked: showConfig(config),
      revision: known.revision + 1,
      updatedAt: clock.now(),
    };
    const changed = await storage.transact((tx) =>
      tx
        .update(bindings)
        .set(row)
        .where(
          and(
            eq(bindings.tenantId, known.tenantId),
            eq(bindings.id, id),
            eq(bindings.revision, known.revision),
          ),
        )
        .returning({ id: bindings.id }),
    );
    if (changed.length > 0) return row;
  }
  throw new AppError("conflict", "binding_changed", "The binding was changed at the same time; try again.");
}

/** A binding that forwards runs no agent; one that it names besides is checked if there is a key to check it by. */
async function checkAgent(
  { agents }: BindingPorts,
  agent: string | undefined,
  { platform_api_key: apiKey }: BindingConfig,
  signal: AbortSignal,
): Promise<void> {
  if (agent !== undefined && apiKey !== undefined) await requireAgent(agents, { agent, apiKey }, signal);
}

const accountUnknown = ({ tenant_id, account_id, channel }: BindingInput) =>
  new AppError(
    "unprocessable",
    "account_unknown",
    `Tenant ${tenant_id} has no ${channel === undefined ? "" : `${channel} `}account ${account_id}.`,
  );

const bound = (accountId: string) =>
  new AppError("conflict", "binding_exists", `Account ${accountId} has a binding.`, {
    details: { hint: "Change it with PUT, or delete it first." },
  });
