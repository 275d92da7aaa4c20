import { Command, InvalidArgumentError } from "commander";
import type { Fire, TriggerSummary } from "../../contracts/daemon/triggers.ts";
import { type CommandCall, type Perform, withDaemon } from "../call.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { wholeNumber } from "../option-values.ts";
import { type Inline, paint } from "../terminal/paint.ts";

/** The payload inside an object: commander takes a bare null for an option without a value. */
type FireOptions = { payload?: { json: unknown }; key?: string };

export const triggersCommand = (perform: Perform) => {
  const command = new Command("triggers").description(
    "list what runs agents by itself; pause, resume and fire it",
  );
  command
    .command("list", { isDefault: true })
    .description("list the triggers of the loaded agents")
    .action((_: object, self: Command) => perform(self, list));
  for (const [verb, what] of changes) {
    withTrigger(command.command(verb).description(what)).action(
      (agent: string, name: string, _: object, self: Command) =>
        perform(self, (call) => change(call, verb, agent, name)),
    );
  }
  withTrigger(command.command("fire").description("fire a trigger once, also while it is paused"))
    .option("--payload <json>", "`payload` of the trigger's templates, as JSON", json)
    .option("--key <text>", "the same key never fires the trigger twice")
    .action((agent: string, name: string, options: FireOptions, self: Command) =>
      perform(self, (call) => fire(call, agent, name, options)),
    );
  withTrigger(command.command("fires").description("list the fires of a trigger, newest first"))
    .option("--limit <count>", "number of rows, 1 to 200 (50)", wholeNumber(200))
    .action((agent: string, name: string, options: { limit?: number }, self: Command) =>
      perform(self, (call) => fires(call, agent, name, options)),
    );
  return command;
};

const changes = [
  ["pause", "pause a trigger: its events fire nothing, and are not made up for"],
  ["resume", "resume a paused trigger"],
] as const;

const withTrigger = (command: Command) =>
  command.argument("<agent>", "an agent's name").argument("<trigger>", "the name of one of its triggers");

function json(text: string): { json: unknown } {
  try {
    return { json: JSON.parse(text) };
  } catch {
    throw new InvalidArgumentError("It must be JSON: put text in double quotes.");
  }
}

async function list(call: CommandCall): Promise<ExitCode> {
  const { screen } = call;
  const triggerList = await withDaemon(call, {}, (client) => client.listTriggers());
  if (screen.json) screen.document(triggerList);
  else if (triggerList.triggers.length === 0)
    screen.say("No triggers. Declare them in `spec.triggers` of an agent.");
  else
    screen.table(
      ["AGENT", "TRIGGER", "TYPE", "FIRES", "STATE", "NEXT", "LAST"],
      triggerList.triggers.map((one) => [
        one.agent,
        one.name,
        one.type,
        one.timezone === undefined ? one.about : `${one.about} (${one.timezone})`,
        stateOf(one),
        one.next_at ?? "",
        one.last_fire === undefined ? "" : statusText(one.last_fire),
      ]),
    );
  return exitCodes.ok;
}

async function change(
  call: CommandCall,
  verb: "pause" | "resume",
  agent: string,
  name: string,
): Promise<ExitCode> {
  const { screen } = call;
  const changed = await withDaemon(call, {}, (client) =>
    verb === "pause" ? client.pauseTrigger(agent, name) : client.resumeTrigger(agent, name),
  );
  if (screen.json) screen.document(changed);
  else screen.say(`Trigger ${name} of ${agent} is ${changed.paused ? "paused" : "active"}.`);
  return exitCodes.ok;
}

async function fire(
  call: CommandCall,
  agent: string,
  name: string,
  { payload, key }: FireOptions,
): Promise<ExitCode> {
  const { screen } = call;
  const request = { ...(payload && { payload: payload.json }), ...(key !== undefined && { key }) };
  const fired = await withDaemon(call, { runsAgents: true }, (client) =>
    client.fireTrigger(agent, name, request),
  );
  if (screen.json) screen.document(fired);
  else
    screen.say(
      `Fire ${fired.id} is ${fired.status}. \`argosy triggers fires ${agent} ${name}\` shows its end.`,
    );
  return exitCodes.ok;
}

async function fires(
  call: CommandCall,
  agent: string,
  name: string,
  page: { limit?: number },
): Promise<ExitCode> {
  const { screen } = call;
  const firePage = await withDaemon(call, {}, (client) => client.listFires(agent, name, page));
  if (screen.json) screen.document(firePage);
  else if (firePage.fires.length === 0) screen.say("It has not fired yet.");
  else
    screen.table(
      ["FIRE", "DUE", "BY", "STATUS", "TRACE", "ERROR"],
      firePage.fires.map((one) => [
        one.id,
        one.due_at,
        one.by,
        statusText(one),
        one.trace_id ?? "",
        one.error === undefined ? (one.awaits ?? "") : `${one.error.code}: ${one.error.message}`,
      ]),
    );
  return exitCodes.ok;
}

function stateOf({ paused, agent_paused }: TriggerSummary): Inline {
  if (paused) return paint("yellow", "paused");
  return agent_paused ? paint("yellow", "agent paused") : "active";
}

function statusText({ status }: Fire): Inline {
  if (status === "failed" || status === "interrupted" || status === "expired") return paint("red", status);
  return status === "waiting" ? paint("yellow", status) : status;
}
