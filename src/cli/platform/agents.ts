import { Command, InvalidArgumentError, Option } from "commander";
import { parse } from "yaml";
import type { PlatformAgentDetail, SpecChange } from "../../contracts/platform/agents.ts";
import type { PlatformClient } from "../../contracts/platform/clients/client.ts";
import { AppError } from "../../kit/app-error.ts";
import { readManifest } from "../agents/change-agents.ts";
import type { CommandCall, Perform } from "../call.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { requireYes, yesOption } from "../option-values.ts";
import { type Inline, paint } from "../terminal/paint.ts";
import { problemLine } from "../terminal/report-error.ts";
import { type PlatformOptions, tenantCommand, withTenant } from "./with-platform.ts";

interface DeleteOptions extends PlatformOptions {
  yes?: boolean;
}

interface ReleaseOptions extends PlatformOptions {
  releaseOverride?: string;
}

interface ApplyOptions extends ReleaseOptions {
  subscription?: string;
}

const overrideOption = () =>
  new Option("--release-override <reason>", "publish a version that the release gate refuses; it is audited");

export const agentsCommand = (perform: Perform) =>
  new Command("agents")
    .description("manage a tenant's agents and their versions")
    .addCommand(
      tenantCommand("list", "list agents").action((options: PlatformOptions, command: Command) =>
        perform(command, (call) => listAgents(call, options)),
      ),
      { isDefault: true },
    )
    .addCommand(
      tenantCommand(
        "apply",
        "store a manifest as a new agent, or as the next version of the agent with the same name",
      )
        .argument("<file>", "a manifest in YAML or JSON")
        .option(
          "--subscription <id>",
          "the subscription that is charged for its runs; none for the base plan",
        )
        .addOption(overrideOption())
        .action((file: string, options: ApplyOptions, command: Command) =>
          perform(command, (call) => applyFile(call, file, options)),
        ),
    )
    .addCommand(
      tenantCommand("show", "print an agent's current manifest or a given version, as JSON")
        .argument("<name>", "an agent's name")
        .argument("[version]", "a version's number", versionNumber)
        .action((name: string, version: number | undefined, options: PlatformOptions, command: Command) =>
          perform(command, (call) => showAgent(call, name, version, options)),
        ),
    )
    .addCommand(
      tenantCommand("versions", "list an agent's versions")
        .argument("<name>", "an agent's name")
        .action((name: string, options: PlatformOptions, command: Command) =>
          perform(command, (call) => listVersions(call, name, options)),
        ),
    )
    .addCommand(
      tenantCommand("diff", "show the changes between two versions")
        .argument("<name>", "an agent's name")
        .argument("<from>", "a version's number", versionNumber)
        .argument("<to>", "another version's number", versionNumber)
        .action((name: string, from: number, to: number, options: PlatformOptions, command: Command) =>
          perform(command, (call) => diffVersions(call, { name, from, to }, options)),
        ),
    )
    .addCommand(
      tenantCommand("restore", "restore an earlier manifest as a new version")
        .argument("<name>", "an agent's name")
        .argument("<version>", "the number of the earlier version", versionNumber)
        .addOption(overrideOption())
        .action((name: string, version: number, options: ReleaseOptions, command: Command) =>
          perform(command, (call) =>
            changed(call, options, (client) =>
              client.restoreVersion(name, version, { release_override: options.releaseOverride }),
            ),
          ),
        ),
    )
    .addCommand(
      tenantCommand("delete", "delete an agent; its history is kept")
        .argument("<name>", "an agent's name")
        .addOption(yesOption())
        .action((name: string, options: DeleteOptions, command: Command) =>
          perform(command, (call) => deleteAgent(call, name, options)),
        ),
    );

function versionNumber(text: string): number {
  if (/^[1-9][0-9]{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be a version's number, such as 3.");
}

async function listAgents(call: CommandCall, options: PlatformOptions): Promise<ExitCode> {
  const { screen } = call;
  const list = await withTenant(call, options, (client) => client.listAgents());
  if (screen.json) screen.document(list);
  else if (list.agents.length === 0)
    screen.say("No agents. `argosy platform agents apply <file>` stores one.");
  else {
    screen.table(
      ["NAME", "VERSION", "UPDATED", "DISPLAY NAME"],
      list.agents.map((agent) => [
        paint("bold", agent.name),
        String(agent.current_version),
        agent.updated_at,
        agent.display_name,
      ]),
    );
  }
  return exitCodes.ok;
}

async function applyFile(call: CommandCall, file: string, options: ApplyOptions): Promise<ExitCode> {
  const { screen, shell } = call;
  const manifest = readManifest(shell.folder, file);
  const name = nameIn(manifest);
  const release = { release_override: options.releaseOverride };
  const subscription = options.subscription === "none" ? "" : options.subscription;
  try {
    return await changed(call, options, async (client) => {
      const isThere = name !== undefined && (await hasAgent(client, name));
      return isThere
        ? client.updateAgent(name, manifest, {
            ...(subscription !== undefined && { subscription_id: subscription }),
            ...release,
          })
        : client.createAgent(manifest, subscription, release);
    });
  } catch (thrown) {
    const problems = thrown instanceof AppError ? (thrown.details.problems ?? []) : [];
    if (screen.json || problems.length === 0) throw thrown;
    for (const problem of problems) screen.print(problemLine(problem, file));
    return exitCodes.usage;
  }
}

async function hasAgent(client: PlatformClient, name: string): Promise<boolean> {
  const { agents } = await client.listAgents();
  return agents.some((agent) => agent.name === name);
}

async function changed(
  call: CommandCall,
  options: PlatformOptions,
  change: (client: PlatformClient) => Promise<PlatformAgentDetail>,
): Promise<ExitCode> {
  const { screen } = call;
  const agent = await withTenant(call, options, change);
  if (screen.json) screen.document(agent);
  else screen.say(`${agent.name} is now at version ${agent.current_version}.`);
  return exitCodes.ok;
}

async function showAgent(
  call: CommandCall,
  name: string,
  version: number | undefined,
  options: PlatformOptions,
): Promise<ExitCode> {
  const found = await withTenant(call, options, async (client) =>
    version === undefined ? await client.getAgent(name) : await client.getVersion(name, version),
  );
  call.screen.document(call.screen.json ? found : found.spec);
  return exitCodes.ok;
}

async function listVersions(call: CommandCall, name: string, options: PlatformOptions): Promise<ExitCode> {
  const { screen } = call;
  const list = await withTenant(call, options, (client) => client.listVersions(name));
  if (screen.json) screen.document(list);
  else {
    screen.table(
      ["VERSION", "CREATED", "AUTHOR", "CHECKSUM"],
      list.versions.map((version) => [
        String(version.number),
        version.created_at,
        version.author,
        version.checksum.slice(0, 12),
      ]),
    );
  }
  return exitCodes.ok;
}

async function diffVersions(
  call: CommandCall,
  { name, from, to }: { name: string; from: number; to: number },
  options: PlatformOptions,
): Promise<ExitCode> {
  const { screen } = call;
  const diff = await withTenant(call, options, (client) => client.diffVersions(name, from, to));
  if (screen.json) screen.document(diff);
  else if (diff.changes.length === 0) screen.say(`Versions ${from} and ${to} are identical.`);
  else for (const change of diff.changes) screen.print(...changeLine(change));
  return exitCodes.ok;
}

function changeLine({ path, change, before, after }: SpecChange): Inline[] {
  const marks = { added: paint("green", "+"), removed: paint("red", "-"), changed: paint("yellow", "~") };
  const values = [before, after].filter((value) => value !== undefined).map((value) => JSON.stringify(value));
  return [marks[change], ` ${path}: ${values.join(" → ")}`];
}

async function deleteAgent(call: CommandCall, name: string, options: DeleteOptions): Promise<ExitCode> {
  const { screen } = call;
  requireYes(options, `This would delete ${name} and its memory.`);
  await withTenant(call, options, (client) => client.deleteAgent(name));
  if (screen.json) screen.document({ name, deleted: true });
  else screen.say(`Deleted ${name}.`);
  return exitCodes.ok;
}

/** Returns `metadata.name` of a manifest, or undefined if it cannot be found; the check of the manifest then reports why. */
export function nameIn(manifest: string): string | undefined {
  try {
    const { metadata } = parse(manifest) as { metadata?: { name?: unknown } };
    return typeof metadata?.name === "string" ? metadata.name : undefined;
  } catch {
    return undefined;
  }
}
