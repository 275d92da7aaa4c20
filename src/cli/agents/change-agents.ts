import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { Command } from "commander";
import type { ReachedDaemon } from "../../command/parts.ts";
import { AppError } from "../../kit/app-error.ts";
import { type CommandCall, type Perform, readConfig, withDaemon } from "../call.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { problemLine, usageError } from "../terminal/report-error.ts";

type Client = ReachedDaemon["client"];

/** The subcommands of `argosy agents` that change something. */
export function changeCommands(perform: Perform): Command[] {
  const one = (
    name: string,
    description: string,
    change: (client: Client, agent: string) => Promise<object>,
    done: string,
  ) =>
    new Command(name)
      .description(description)
      .argument("<name>", "an agent's name")
      .action((agent: string, _options: object, command: Command) =>
        perform(command, (call) => changeAgent(call, agent, change, done)),
      );
  return [
    one(
      "pause",
      "pause an agent: new runs are refused",
      (client, agent) => client.pauseAgent(agent),
      "is paused",
    ),
    one("deploy", "resume a paused agent", (client, agent) => client.deployAgent(agent), "is ready"),
    one(
      "delete",
      "delete an agent, its conversations and, if agents are persisted, its file",
      (client, agent) => client.deleteAgent(agent),
      "is deleted",
    ),
    new Command("apply")
      .description("create an agent from a manifest, or replace the agent with the same name")
      .argument("<file>", "a manifest in YAML or JSON")
      .action((file: string, _options: object, command: Command) =>
        perform(command, (call) => applyFile(call, file)),
      ),
  ];
}

async function changeAgent(
  call: CommandCall,
  name: string,
  change: (client: Client, agent: string) => Promise<object>,
  done: string,
): Promise<ExitCode> {
  const { screen } = call;
  const answer = await changing(call, (client) => change(client, name));
  if (screen.json) screen.document(answer);
  else screen.say(`${name} ${done}`);
  return exitCodes.ok;
}

async function applyFile(call: CommandCall, file: string): Promise<ExitCode> {
  const { screen, shell } = call;
  const manifest = readManifest(shell.folder, file);
  const applied = await changing(call, async (client) => {
    const check = await client.validateAgent(manifest);
    return check.name === undefined ? check : client.replaceAgent(check.name, manifest);
  });
  if (screen.json) screen.document(applied);
  if ("valid" in applied) {
    if (!screen.json) for (const problem of applied.problems) screen.print(problemLine(problem, file));
    return exitCodes.usage;
  }
  if (!screen.json) {
    screen.say(`${applied.name} is ${applied.status}${applied.persisted ? `, kept in ${applied.file}` : ""}`);
    if (!applied.persisted) screen.say("It is kept in memory and lost at a restart.");
  }
  return exitCodes.ok;
}

/** Changes something in the daemon. Refuses if the change would be lost when this command ends. */
async function changing<T>(call: CommandCall, change: (client: Client) => Promise<T>): Promise<T> {
  const { persistAgents } = await readConfig(call);
  return withDaemon(call, {}, async (client, { via }) => {
    if (via === "store" && !persistAgents) throw nothingLeft();
    return change(client);
  });
}

function nothingLeft(): AppError {
  return new AppError(
    "conflict",
    "server_needed",
    "No server is running on this data folder, so the change would be lost when this command ends.",
    { details: { hint: "Start `argosy serve` first, or set PLATFORM_PERSIST_AGENTS=1." } },
  );
}

/** Returns the text of a manifest file. Throws `usage` if it cannot be read. */
export function readManifest(folder: string, shown: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(resolve(folder, shown)));
  } catch (thrown) {
    const reason = thrown instanceof TypeError ? "is not valid UTF-8" : "can't be read";
    throw usageError(`${shown} ${reason}.`);
  }
}
