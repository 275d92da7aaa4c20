import type { Binding, BindingConfigChange, BindingConfigInput } from "../../contracts/gateway/bindings.ts";
import { AppError } from "../../kit/app-error.ts";
import {
  type Declared,
  gatewayOf,
  given,
  type Present,
  type WorkspaceKind,
  type WorkspaceTarget,
} from "../workspace-kind.ts";
import { accountName } from "./channel-account-kind.ts";

export const bindingType = "gateway.binding";

const secretKeys = ["platform_api_key", "callback_secret"] as const;
const plainKeys = ["callback_url", "pedir_contacto", "format", "groups", "collect_seconds"] as const;
const configKeys = [...secretKeys, ...plainKeys] as const;

/** Bindings of the tenant's accounts to agents or callbacks, by the account's name. */
export const channelBindingKind: WorkspaceKind = {
  type: bindingType,
  async observe(target, named) {
    const gateway = gatewayOf(target);
    const { accounts } = await gateway.listAccounts(target.tenantId);
    const nameById = new Map(accounts.map((account) => [account.id, accountName(account)]));
    const { bindings } = await gateway.listBindings(target.tenantId);
    const names = new Set(named.map(({ name }) => name));
    return bindings.flatMap((binding) => {
      const name = nameById.get(binding.account_id);
      return name !== undefined && names.has(name) ? [presentOf(name, binding)] : [];
    });
  },
  create,
  async update(target, declared, { id, config }) {
    const gateway = gatewayOf(target);
    // A change can't take the entry agent away.
    if (config.entry_agent !== undefined && declared.config.entry_agent === undefined) {
      await gateway.deleteBinding(id);
      await create(target, declared);
      return;
    }
    const now = configOf(declared);
    const removed = Object.fromEntries(
      configKeys.filter((key) => now[key] === undefined).map((key) => [key, null]),
    );
    await gateway.changeBinding(id, {
      ...headOf(declared),
      config: { ...removed, ...now } as BindingConfigChange,
    });
  },
  async delete(target, { id }) {
    await gatewayOf(target).deleteBinding(id);
  },
};

async function create(target: WorkspaceTarget, declared: Declared): Promise<void> {
  const gateway = gatewayOf(target);
  const { accounts } = await gateway.listAccounts(target.tenantId);
  const account = accounts.find((one) => accountName(one) === declared.name);
  if (account === undefined)
    throw new AppError("not_found", "account_not_found", `The gateway has no account ${declared.name}.`);
  await gateway.createBinding({
    tenant_id: target.tenantId,
    channel: account.channel,
    account_id: account.id,
    ...headOf(declared),
    config: configOf(declared),
  });
}

function presentOf(name: string, { id, entry_agent, fallback_message, config }: Binding): Present {
  const masks = secretKeys.flatMap((key): [string, string][] => {
    const mask = config[key];
    return mask === undefined ? [] : [[key, mask]];
  });
  const plain = Object.fromEntries(plainKeys.map((key) => [key, config[key]]));
  return {
    type: bindingType,
    name,
    id,
    config: given({ entry_agent, fallback_message, ...plain }),
    masks: new Map(masks),
  };
}

const headOf = ({ config }: Declared) => ({
  ...(typeof config.entry_agent === "string" && { entry_agent: config.entry_agent }),
  fallback_message: String(config.fallback_message ?? ""),
});

function configOf({ config, secrets }: Declared): BindingConfigInput {
  const plain = plainKeys.map((key) => [key, config[key]]).filter(([, value]) => value !== undefined);
  return { ...Object.fromEntries(secrets), ...Object.fromEntries(plain) };
}
