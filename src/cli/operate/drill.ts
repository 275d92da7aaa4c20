import { Command, InvalidArgumentError } from "commander";
import type { DrillCheck } from "../../contracts/drill.ts";
import { type CommandCall, type Perform, readConfig } from "../call.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { requireYes } from "../option-values.ts";
import { paint } from "../terminal/paint.ts";

interface DrillOptions {
  only?: readonly string[];
  list?: true;
  dryRun?: true;
  all?: true;
  yes?: boolean;
}

export const drillCommand = (perform: Perform) =>
  new Command("drill")
    .description("inject faults into the running server and show which promises hold")
    .option("--only <names>", "drills to perform, separated by commas", namesIn)
    .option("--list", "list the drills and their promises, and do nothing")
    .option("--dry-run", "show what would be injected, and do nothing")
    .option("--all", "also perform drills that all users of the server notice")
    .option("--yes", "confirm --all")
    .action((options: DrillOptions, command: Command) => perform(command, (call) => drill(call, options)));

async function drill(call: CommandCall, options: DrillOptions): Promise<ExitCode> {
  const described = await call.shell.parts.describeDrills(options.only);
  if (options.list === true) return list(call, described);
  const everyone = options.all === true;
  const allowed = described.filter(({ scope }) => everyone || scope === "drill");
  if (options.dryRun === true) return list(call, allowed);
  const noticed = allowed.filter(({ scope }) => scope === "everyone");
  if (noticed.length > 0) {
    const names = noticed.map(({ name }) => name).join(", ");
    requireYes(
      options,
      `All users of this server notice ${names}: their requests may fail for up to 15 seconds each.`,
    );
  }
  return perform(call, { only: options.only, everyone });
}

type Described = Awaited<ReturnType<CommandCall["shell"]["parts"]["describeDrills"]>>;

function list({ screen }: CommandCall, described: Described): ExitCode {
  if (screen.json) screen.document({ drills: described });
  else
    for (const { name, scope, fault, promises } of described) {
      screen.print(paint("bold", name), scope === "everyone" ? " (with --all: all users notice it)" : "");
      screen.print("  ", fault);
      for (const promise of promises) screen.print("  - ", promise);
    }
  return exitCodes.ok;
}

async function perform(
  call: CommandCall,
  choice: { only: readonly string[] | undefined; everyone: boolean },
): Promise<ExitCode> {
  const { screen, shell, signal } = call;
  const config = await readConfig(call);
  const checks: DrillCheck[] = [];
  const skipped: { drill: string; reason: string }[] = [];
  const failures: { error: string; message: string }[] = [];
  for await (const event of shell.parts.performDrills(config, choice, signal)) {
    if (event.type === "started") screen.say(`${event.drill}: ${event.fault}`);
    else if (event.type === "checked") checks.push(event.check);
    else if (event.type === "skipped") skipped.push({ drill: event.drill, reason: event.reason });
    else if (event.type === "failed") failures.push({ error: event.error, message: event.message });
  }
  const broken = checks.filter(({ held }) => !held).length + failures.length;
  const passedChecks = checks.length + failures.length - broken;
  if (screen.json) screen.document({ held: passedChecks, broken, checks, skipped, failures });
  else {
    screen.table(
      ["DRILL", "PROMISE", "RESULT", "MEASURED"],
      checks.map((check) => [
        check.drill,
        check.promise,
        check.held ? paint("green", "held") : paint("red", "broken"),
        check.measured,
      ]),
    );
    for (const { drill: name, reason } of skipped) screen.say(`${name} skipped: ${reason}`);
    for (const { message } of failures) screen.say(paint("red", "failed"), ` ${message}`);
    screen.say(`${passedChecks} held, ${broken} broken. No fault is injected any more.`);
  }
  return broken === 0 && checks.length > 0 ? exitCodes.ok : exitCodes.failed;
}

function namesIn(text: string): string[] {
  const names = text
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
  if (names.length > 0) return names;
  throw new InvalidArgumentError("must name drills, such as provider-timeout,full-disk.");
}
