import { Command } from "commander";
import type { ConnectionInput } from "../../contracts/platform/connections.ts";
import { isRecord } from "../../kit/json/is-record.ts";
import type { CommandCall, Perform } from "../call.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { requireYes, yesOption } from "../option-values.ts";
import { paint } from "../terminal/paint.ts";
import { readText } from "../terminal/read-input.ts";
import { usageError } from "../terminal/report-error.ts";
import { type PlatformOptions, tenantCommand, withTenant } from "./with-platform.ts";

interface SetOptions extends PlatformOptions {
  baseUrl: string;
}

interface DeleteOptions extends PlatformOptions {
  yes?: boolean;
}

/** Limit for the credentials, with room for white space. */
const bytesMax = 64 * 1024;

export const connectionsCommand = (perform: Perform) =>
  new Command("connections")
    .description("manage a tenant's credentials for tools; secrets are never shown")
    .addCommand(
      tenantCommand("list", "list connections, without their secrets").action(
        (options: PlatformOptions, command: Command) => perform(command, (call) => list(call, options)),
      ),
      { isDefault: true },
    )
    .addCommand(
      tenantCommand("create", "create or replace a connection; reads its secrets from stdin as a JSON object")
        .argument("<name>", "the name, such as api_crm")
        .requiredOption(
          "--base-url <address>",
          "base URL of the service; the secrets are sent to addresses below it, and to no other",
        )
        .action((name: string, options: SetOptions, command: Command) =>
          perform(command, (call) => store(call, name, options)),
        ),
    )
    .addCommand(
      tenantCommand("delete", "delete a connection")
        .argument("<name>", "the connection's name")
        .addOption(yesOption())
        .action((name: string, options: DeleteOptions, command: Command) =>
          perform(command, (call) => remove(call, name, options)),
        ),
    );

async function list(call: CommandCall, options: PlatformOptions): Promise<ExitCode> {
  const { screen } = call;
  const connections = await withTenant(call, options, (client) => client.listConnections());
  if (screen.json) screen.document(connections);
  else if (connections.connections.length === 0)
    screen.say(
      "No connections. `argosy platform connections create <name> --base-url <address>` stores one.",
    );
  else {
    screen.table(
      ["NAME", "ADDRESS", "UPDATED"],
      connections.connections.map((one) => [
        paint("bold", one.name),
        one.base_url ?? "none: store it again with --base-url",
        one.updated_at,
      ]),
    );
  }
  return exitCodes.ok;
}

async function store(call: CommandCall, name: string, options: SetOptions): Promise<ExitCode> {
  const { screen, shell, signal } = call;
  if (shell.stdin.isTTY === true)
    screen.say('The secrets as a JSON object, such as {"api_key": "…"}, then Ctrl-D:');
  const material = materialIn(await readText(shell.stdin, bytesMax, signal));
  const input: ConnectionInput = { material, base_url: options.baseUrl };
  const stored = await withTenant(call, options, (client) => client.putConnection(name, input));
  if (screen.json) screen.document(stored);
  else screen.say(`Stored ${stored.name}.`);
  return exitCodes.ok;
}

/** Parses the credentials. The text is secret, so errors do not quote it. */
function materialIn(text: string): ConnectionInput["material"] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = undefined;
  }
  if (isRecord(value)) {
    return value as ConnectionInput["material"];
  }
  throw usageError(
    "The text on stdin is not a JSON object.",
    'Pipe the secrets in: echo \'{"api_key": "…"}\' | argosy platform connections create <name> --base-url <address>',
  );
}

async function remove(call: CommandCall, name: string, options: DeleteOptions): Promise<ExitCode> {
  const { screen } = call;
  requireYes(options, `This would delete the connection ${name} with its secrets.`);
  await withTenant(call, options, (client) => client.deleteConnection(name));
  if (screen.json) screen.document({ name, deleted: true });
  else screen.say(`Deleted ${name}.`);
  return exitCodes.ok;
}
