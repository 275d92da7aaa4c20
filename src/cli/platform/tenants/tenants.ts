import { Command, Option } from "commander";
import { type MemberRole, memberRoles } from "../../../contracts/platform/members.ts";
import type { Tenant } from "../../../contracts/platform/tenants.ts";
import type { CommandCall, Perform } from "../../call.ts";
import { type ExitCode, exitCodes } from "../../exit-codes.ts";
import { requireYes, yesOption } from "../../option-values.ts";
import { paint } from "../../terminal/paint.ts";
import { accessTokenOf } from "../access-token.ts";
import {
  type PlatformOptions,
  platformCommand,
  tenantCommand,
  withPerson,
  withPlatform,
} from "../with-platform.ts";

interface DeleteOptions extends PlatformOptions {
  yes?: boolean;
}

interface KeyOptions extends PlatformOptions {
  expires?: string;
  role?: MemberRole;
}

export const tenantsCommand = (perform: Perform) =>
  new Command("tenants")
    .description("list, create and delete tenants")
    .addCommand(
      platformCommand("list", "list your tenants; on the platform's own machine, all tenants").action(
        (options: PlatformOptions, command: Command) =>
          perform(command, (call) => listTenants(call, options)),
      ),
      { isDefault: true },
    )
    .addCommand(
      platformCommand("create", "create a tenant for the signed-in account")
        .argument("<name>", "display name")
        .action((name: string, options: PlatformOptions, command: Command) =>
          perform(command, (call) => createTenant(call, name, options)),
        ),
    )
    .addCommand(
      platformCommand("delete", "delete a tenant with its keys and agents, and end its subscriptions")
        .argument("<tenant>", "a tenant's id, name or display name")
        .addOption(yesOption())
        .action((tenant: string, options: DeleteOptions, command: Command) =>
          perform(command, (call) => deleteTenant(call, { ...options, tenant })),
        ),
    );

export const keysCommand = (perform: Perform) =>
  new Command("keys")
    .description("list, create and revoke a tenant's API keys")
    .addCommand(
      tenantCommand("list", "list API keys; the keys themselves are not stored").action(
        (options: PlatformOptions, command: Command) => perform(command, (call) => listKeys(call, options)),
      ),
      { isDefault: true },
    )
    .addCommand(
      tenantCommand("create", "create a key and print it; it is shown only once")
        .argument("<label>", "the purpose of the key")
        .option("--expires <instant>", "instant after which the key is refused, such as 2027-01-31T12:00:00Z")
        .addOption(
          new Option("--role <role>", "what the key may do, like a member; else everything").choices(
            memberRoles,
          ),
        )
        .action((label: string, options: KeyOptions, command: Command) =>
          perform(command, (call) => createKey(call, label, options)),
        ),
    )
    .addCommand(
      tenantCommand("revoke", "revoke a key")
        .argument("<hash>", "the key's hash, as the list shows it")
        .action((hash: string, options: PlatformOptions, command: Command) =>
          perform(command, (call) => revokeKey(call, hash, options)),
        ),
    );

async function listTenants(call: CommandCall, options: PlatformOptions): Promise<ExitCode> {
  const { screen } = call;
  return withPlatform(call, options, async (platform) => {
    const tenants: (Tenant & { owner?: string; role?: string })[] =
      platform.control === undefined
        ? (await platform.as({ accessToken: await accessTokenOf(platform) }).listTenants()).tenants
        : (await platform.control.listLocalTenants()).tenants;
    if (screen.json) screen.document({ tenants });
    else if (tenants.length === 0)
      screen.say("No tenants. `argosy platform tenants create <name>` makes one.");
    else {
      screen.table(
        ["NAME", "DISPLAY NAME", "ID", platform.control === undefined ? "YOUR ROLE" : "OWNER"],
        tenants.map((tenant) => [
          paint("bold", tenant.crName),
          tenant.displayName,
          tenant.id,
          tenant.owner ?? tenant.role ?? "",
        ]),
      );
    }
    return exitCodes.ok;
  });
}

async function createTenant(call: CommandCall, name: string, options: PlatformOptions): Promise<ExitCode> {
  const { screen } = call;
  const tenant = await withPerson(call, options, (client) => client.createTenant(name));
  if (screen.json) screen.document(tenant);
  else {
    screen.print(tenant.crName);
    screen.say(`${tenant.displayName} is ${tenant.id}.`);
  }
  return exitCodes.ok;
}

async function deleteTenant(call: CommandCall, options: DeleteOptions): Promise<ExitCode> {
  const { screen } = call;
  requireYes(options, `This would delete ${options.tenant} with its keys and agents.`);
  const id = await withPerson(call, options, async (client, findTenant) => {
    const found = await findTenant();
    await client.deleteTenant(found);
    return found;
  });
  if (screen.json) screen.document({ id, deleted: true });
  else screen.say(`Deleted ${options.tenant}.`);
  return exitCodes.ok;
}

async function listKeys(call: CommandCall, options: PlatformOptions): Promise<ExitCode> {
  const { screen } = call;
  const list = await withPerson(call, options, async (client, findTenant) =>
    client.listKeys(await findTenant()),
  );
  if (screen.json) screen.document(list);
  else {
    screen.table(
      ["HASH", "LABEL", "ROLE", "MADE BY", "CREATED", "EXPIRES", "LAST USED"],
      list.keys.map((key) => [
        key.hash,
        key.label,
        key.role ?? "all",
        key.created_by ?? "",
        key.created_at,
        key.expires_at ?? "never",
        key.last_used_at ?? "never",
      ]),
    );
  }
  return exitCodes.ok;
}

async function createKey(call: CommandCall, label: string, options: KeyOptions): Promise<ExitCode> {
  const { screen } = call;
  const key = await withPerson(call, options, async (client, findTenant) =>
    client.createKey(await findTenant(), label, options.expires, options.role),
  );
  if (screen.json) screen.document(key);
  else {
    screen.print(key.rawKey);
    screen.say("It is shown only once. Programs send it as X-API-Key.");
  }
  return exitCodes.ok;
}

async function revokeKey(call: CommandCall, hash: string, options: PlatformOptions): Promise<ExitCode> {
  const { screen } = call;
  await withPerson(call, options, async (client, findTenant) => client.revokeKey(await findTenant(), hash));
  if (screen.json) screen.document({ hash, revoked: true });
  else screen.say("Revoked the key.");
  return exitCodes.ok;
}
