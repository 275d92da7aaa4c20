import { Command } from "commander";
import { AppError } from "../../kit/app-error.ts";
import { type CommandCall, type Perform, readConfig, withDaemon } from "../call.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { usageError } from "../terminal/report-error.ts";

const reasonMax = 500;

export const releaseCommand = (perform: Perform) =>
  new Command("release")
    .description(
      "take a version into service that its release gate refuses; the data folder keeps the reason",
    )
    .argument("<agent>", "agent whose candidate is taken into service")
    .requiredOption("--override <reason>", "why the gate doesn't count this time")
    .action((agent: string, { override }: { override: string }, command: Command) =>
      perform(command, (call) => overrideGate(call, agent, override.trim())),
    );

async function overrideGate(call: CommandCall, agent: string, reason: string): Promise<ExitCode> {
  const { screen, shell } = call;
  if (reason === "" || reason.length > reasonMax)
    throw usageError("--override needs a reason.", `Write a sentence of at most ${reasonMax} characters.`);
  const config = await readConfig(call);
  await withDaemon(call, {}, async (client) => {
    const { candidate } = await client.getAgent(agent);
    if (candidate === undefined) {
      throw new AppError("conflict", "no_candidate", `No version of ${agent} waits for its release gate.`, {
        details: { hint: "`argosy agents` shows which version is in service." },
      });
    }
    await shell.parts.overrideRelease(config, agent, candidate.fingerprint, reason);
    if (screen.json) screen.document({ agent, fingerprint: candidate.fingerprint, reason });
    else
      screen.say(
        `The version of ${agent} may serve. Its file is taken at once; send a manifest of the API again.`,
      );
  });
  return exitCodes.ok;
}
