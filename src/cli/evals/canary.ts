import { Command, Option } from "commander";
import { nearestMicros, usdText } from "../../contracts/amounts.ts";
import type { Canary, CanaryEnd } from "../../contracts/daemon/canary.ts";
import { type CommandCall, type Perform, withDaemon } from "../call.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";

interface CanaryOptions {
  promote?: string;
  return?: string;
}

export const canaryCommand = (perform: Perform) =>
  new Command("canary")
    .description("show the new version of an agent that answers a share of its sessions, or end it")
    .argument("<agent>", "an agent's name")
    .addOption(
      new Option("--promote <reason>", "let the new version answer all sessions").conflicts("return"),
    )
    .option("--return <reason>", "take the new version out of service")
    .action((agent: string, options: CanaryOptions, command: Command) =>
      perform(command, (call) => showCanary(call, agent, options)),
    );

async function showCanary(call: CommandCall, agent: string, options: CanaryOptions): Promise<ExitCode> {
  const { screen } = call;
  const canary = await withDaemon(call, {}, (client) => {
    const end = endOf(options);
    return end === undefined ? client.getCanary(agent) : client.endCanary(agent, end);
  });
  if (screen.json) {
    screen.document(canary);
    return exitCodes.ok;
  }
  screen.fields([
    ["agent", agent],
    ["state", canary.state],
    ["share", `${canary.percent} % of sessions`],
    ["new version", canary.fingerprint],
    ["in service before", canary.baseline],
  ]);
  if (canary.figures !== undefined) {
    screen.table(
      ["VERSION", "RUNS", "ERRORS", "RATED", "POSITIVE", "MEAN COST"],
      [rowOf("new", canary.figures.canary), rowOf("before", canary.figures.baseline)],
    );
  }
  for (const { event, at, reasons = [], by } of canary.events) {
    const who = by === undefined ? "" : ` by the ${by}`;
    screen.say(`${at} ${event}${who}${reasons.length === 0 ? "" : `: ${reasons.join("; ")}`}`);
  }
  return exitCodes.ok;
}

function endOf({ promote, return: back }: CanaryOptions): CanaryEnd | undefined {
  if (promote !== undefined) return { verdict: "promote", reason: promote.trim() };
  return back === undefined ? undefined : { verdict: "return", reason: back.trim() };
}

type Figures = NonNullable<Canary["figures"]>["canary"];

const rowOf = (name: string, { runs, errors, rated, liked, mean_cost_usd: cost }: Figures) => [
  name,
  String(runs),
  String(errors),
  String(rated),
  String(liked),
  cost === undefined ? "unknown" : usdText(nearestMicros(cost)),
];
