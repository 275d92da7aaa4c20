import { Command, Option } from "commander";
import { answerFormats, type BindingConfigInput, groupRules } from "../../contracts/gateway/bindings.ts";
import type { CommandCall, Perform } from "../call.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { requireYes, wholeNumber, yesOption } from "../option-values.ts";
import { paint } from "../terminal/paint.ts";
import { readSecrets } from "./read-secrets.ts";
import { type GatewayOptions, gatewayCommand, withGateway } from "./with-gateway.ts";

interface TenantOptions extends GatewayOptions {
  tenant: string;
}

interface CreateOptions extends TenantOptions {
  account: string;
  agent?: string;
  callback?: string;
  fallback?: string;
  format?: BindingConfigInput["format"];
  groups?: BindingConfigInput["groups"];
  collectSeconds?: number;
  csatQuestion?: string;
}

interface ChangeOptions extends GatewayOptions {
  agent?: string;
  fallback?: string;
  format?: BindingConfigInput["format"];
  groups?: BindingConfigInput["groups"];
  collectSeconds?: number;
  csatQuestion?: string;
}

interface DeleteOptions extends GatewayOptions {
  yes?: boolean;
}

const formatOption = () =>
  new Option(
    "--format <format>",
    "send answers with the channel's marks (markdown), without marks, or as they are",
  ).choices([...answerFormats]);

const groupsOption = () =>
  new Option(
    "--groups <which>",
    "messages of groups that are answered: those that address the account, all, or none",
  ).choices([...groupRules]);

const collectOption = () =>
  new Option(
    "--collect-seconds <seconds>",
    "join messages that follow each other within this time, 0 to 30",
  ).argParser(wholeNumber(30, 0));

const csatOption = () =>
  new Option("--csat-question <text>", 'ask for a score from 1 to 5 after a resolution; "" asks nothing');

export const bindingsCommand = (perform: Perform) =>
  new Command("bindings")
    .description("say which agent or callback answers an account")
    .addCommand(
      gatewayCommand("list", "list a tenant's bindings, the oldest first")
        .requiredOption("--tenant <id>", "the tenant")
        .action((options: TenantOptions, command: Command) =>
          perform(command, (call) => list(call, options)),
        ),
      { isDefault: true },
    )
    .addCommand(
      gatewayCommand(
        "create",
        "bind an account; reads platform_api_key or callback_secret from stdin as JSON",
      )
        .requiredOption("--tenant <id>", "the tenant")
        .requiredOption("--account <id>", "the account's id")
        .option("--agent <name>", "the agent that answers")
        .option("--callback <url>", "forward messages to this https address instead")
        .option("--fallback <text>", "answer when a run fails")
        .addOption(formatOption())
        .addOption(groupsOption())
        .addOption(collectOption())
        .addOption(csatOption())
        .action((options: CreateOptions, command: Command) =>
          perform(command, (call) => create(call, options)),
        ),
    )
    .addCommand(
      gatewayCommand("change", "change a binding; what isn't named stays as it is")
        .argument("<id>", "the binding's id")
        .option("--agent <name>", "the agent that answers")
        .option("--fallback <text>", 'answer when a run fails; "" for none')
        .addOption(formatOption())
        .addOption(groupsOption())
        .addOption(collectOption())
        .addOption(csatOption())
        .action((id: string, options: ChangeOptions, command: Command) =>
          perform(command, (call) => change(call, id, options)),
        ),
    )
    .addCommand(
      gatewayCommand("delete", "delete a binding; its account then gets no answers")
        .argument("<id>", "the binding's id")
        .addOption(yesOption())
        .action((id: string, options: DeleteOptions, command: Command) =>
          perform(command, (call) => remove(call, id, options)),
        ),
    );

async function list(call: CommandCall, options: TenantOptions): Promise<ExitCode> {
  const { screen } = call;
  const found = await withGateway(call, options, (client) => client.listBindings(options.tenant));
  if (screen.json) screen.document(found);
  else if (found.bindings.length === 0) screen.say("No bindings.");
  else {
    screen.table(
      ["ID", "CHANNEL", "ACCOUNT", "ANSWERED BY", "UPDATED"],
      found.bindings.map((one) => [
        one.id,
        one.channel,
        one.account_id,
        paint("bold", one.entry_agent ?? one.config.callback_url ?? ""),
        one.updated_at,
      ]),
    );
  }
  return exitCodes.ok;
}

async function create(
  call: CommandCall,
  {
    tenant,
    account,
    agent,
    callback,
    fallback,
    format,
    groups,
    collectSeconds,
    csatQuestion,
    ...options
  }: CreateOptions,
): Promise<ExitCode> {
  const { screen } = call;
  const secrets = await readSecrets(call, '{"platform_api_key": "ask-…"}');
  const binding = await withGateway(call, options, (client) =>
    client.createBinding({
      tenant_id: tenant,
      account_id: account,
      ...(agent === undefined ? {} : { entry_agent: agent }),
      ...(fallback === undefined ? {} : { fallback_message: fallback }),
      config: {
        ...secrets,
        ...(callback === undefined ? {} : { callback_url: callback }),
        ...(format === undefined ? {} : { format }),
        ...(groups === undefined ? {} : { groups }),
        ...(collectSeconds === undefined ? {} : { collect_seconds: collectSeconds }),
        ...(csatQuestion === undefined || csatQuestion === "" ? {} : { csat_question: csatQuestion }),
      },
    }),
  );
  if (screen.json) screen.document(binding);
  else screen.say(`Bound account ${account} as ${binding.id}.`);
  return exitCodes.ok;
}

async function change(
  call: CommandCall,
  id: string,
  { agent, fallback, format, groups, collectSeconds, csatQuestion, ...options }: ChangeOptions,
): Promise<ExitCode> {
  const { screen } = call;
  const config = {
    ...(format === undefined ? {} : { format }),
    ...(groups === undefined ? {} : { groups }),
    ...(collectSeconds === undefined ? {} : { collect_seconds: collectSeconds }),
    ...(csatQuestion === undefined ? {} : { csat_question: csatQuestion === "" ? null : csatQuestion }),
  };
  const binding = await withGateway(call, options, (client) =>
    client.changeBinding(id, {
      ...(agent === undefined ? {} : { entry_agent: agent }),
      ...(fallback === undefined ? {} : { fallback_message: fallback }),
      ...(Object.keys(config).length === 0 ? {} : { config }),
    }),
  );
  if (screen.json) screen.document(binding);
  else screen.say(`Changed binding ${id}.`);
  return exitCodes.ok;
}

async function remove(call: CommandCall, id: string, options: DeleteOptions): Promise<ExitCode> {
  const { screen } = call;
  requireYes(options, `This would delete binding ${id}. Messages to its account would get no answer.`);
  await withGateway(call, options, (client) => client.deleteBinding(id));
  if (screen.json) screen.document({ id, deleted: true });
  else screen.say(`Deleted binding ${id}.`);
  return exitCodes.ok;
}
