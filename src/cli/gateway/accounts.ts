import { Argument, Command } from "commander";
import type { Account } from "../../contracts/gateway/accounts.ts";
import { type ChannelName, channelNames } from "../../contracts/gateway/channels.ts";
import type { CommandCall, Perform } from "../call.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { requireYes, yesOption } from "../option-values.ts";
import { paint } from "../terminal/paint.ts";
import { readSecrets } from "./read-secrets.ts";
import { type GatewayOptions, gatewayCommand, withGateway } from "./with-gateway.ts";

interface TenantOptions extends GatewayOptions {
  tenant: string;
}

interface CreateOptions extends TenantOptions {
  emulated?: boolean;
}

interface DeleteOptions extends GatewayOptions {
  yes?: boolean;
}

const tenantCommand = (name: string, description: string) =>
  gatewayCommand(name, description).requiredOption("--tenant <id>", "the tenant");

export const accountsCommand = (perform: Perform) =>
  new Command("accounts")
    .description("manage tenants' accounts at the channels; credentials are never shown")
    .addCommand(
      tenantCommand("list", "list a tenant's accounts, the oldest first").action(
        (options: TenantOptions, command: Command) => perform(command, (call) => list(call, options)),
      ),
      { isDefault: true },
    )
    .addCommand(
      tenantCommand("create", "create an account or refresh its credentials; reads them from stdin as JSON")
        .addArgument(new Argument("<channel>", "the channel").choices([...channelNames]))
        .argument("<external-id>", "the provider's id of the account")
        .option("--emulated", "keep its messages in the emulator instead of sending them")
        .action((channel: ChannelName, externalId: string, options: CreateOptions, command: Command) =>
          perform(command, (call) => create(call, channel, externalId, options)),
        ),
    )
    .addCommand(
      gatewayCommand("resume", "let a paused account send again")
        .argument("<id>", "the account's id")
        .action((id: string, options: GatewayOptions, command: Command) =>
          perform(command, (call) => resume(call, id, options)),
        ),
    )
    .addCommand(
      gatewayCommand("delete", "delete an account and its binding; its waiting messages fail")
        .argument("<id>", "the account's id")
        .addOption(yesOption())
        .action((id: string, options: DeleteOptions, command: Command) =>
          perform(command, (call) => remove(call, id, options)),
        ),
    );

async function list(call: CommandCall, options: TenantOptions): Promise<ExitCode> {
  const { screen } = call;
  const found = await withGateway(call, options, (client) => client.listAccounts(options.tenant));
  if (screen.json) screen.document(found);
  else if (found.accounts.length === 0) screen.say("No accounts.");
  else {
    screen.table(
      ["ID", "CHANNEL", "EXTERNAL ID", "STATUS", "EMULATED", "CREATED"],
      found.accounts.map((one) => [
        one.id,
        one.channel,
        paint("bold", one.external_id),
        statusOf(one),
        one.emulated ? "yes" : "",
        one.created_at,
      ]),
    );
  }
  return exitCodes.ok;
}

const statusOf = ({ status, paused_reason }: Account) =>
  status === "active" ? paint("green", status) : paint("red", `paused: ${paused_reason ?? ""}`);

async function create(
  call: CommandCall,
  channel: ChannelName,
  externalId: string,
  { tenant, emulated, ...options }: CreateOptions,
): Promise<ExitCode> {
  const { screen } = call;
  const needsNone = channel === "webchat" || channel === "echo";
  const example = channel === "bot_messenger" ? '{"bot_token": "…"}' : '{"access_token": "…"}';
  const credentials = needsNone ? {} : await readSecrets(call, example);
  const account = await withGateway(call, options, (client) =>
    client.saveAccount({
      tenant_id: tenant,
      channel,
      external_id: externalId,
      credentials,
      ...(emulated === undefined ? {} : { emulated }),
    }),
  );
  if (screen.json) screen.document(account);
  else screen.say(`Stored ${channel} account ${externalId} as ${account.id}.`);
  return exitCodes.ok;
}

async function resume(call: CommandCall, id: string, options: GatewayOptions): Promise<ExitCode> {
  const { screen } = call;
  const account = await withGateway(call, options, (client) => client.resumeAccount(id));
  if (screen.json) screen.document(account);
  else screen.say(`Account ${id} is ${account.status}.`);
  return exitCodes.ok;
}

async function remove(call: CommandCall, id: string, options: DeleteOptions): Promise<ExitCode> {
  const { screen } = call;
  requireYes(options, `This would delete account ${id} and its binding; its waiting messages would fail.`);
  await withGateway(call, options, (client) => client.deleteAccount(id));
  if (screen.json) screen.document({ id, deleted: true });
  else screen.say(`Deleted account ${id}.`);
  return exitCodes.ok;
}
