import type { Command } from "commander";
import type { OrgReleaseGate, ReleaseRules } from "../../contracts/cloud/release.ts";
import type { Perform } from "../call.ts";
import { exitCodes } from "../exit-codes.ts";
import { paint } from "../terminal/paint.ts";
import { usageError } from "../terminal/report-error.ts";
import type { Screen } from "../terminal/screen.ts";
import { type CloudOptions, orgCommand, withOrg } from "./with-cloud.ts";

interface GateOptions extends CloudOptions {
  require?: ReleaseRules["requires"];
  open?: true;
}

/** Shows or sets the release gate of an agent. */
export const releaseCommand = (perform: Perform) =>
  orgCommand("release", "show the release gate of an agent, or set the evals that it requires")
    .argument("<name>", "an agent's name")
    .option(
      "--require <eval[:score[:no-regressions]]>",
      "an eval that must have passed, with its least pass rate from 0 to 1 (1); repeatable",
      requirement,
    )
    .option("--open", "require nothing")
    .action((name: string, { require, open, ...options }: GateOptions, command: Command) =>
      perform(command, (call) => {
        if (open && require !== undefined) throw usageError("Give --require or --open, not both.");
        const requires = open ? [] : require;
        return withOrg(call, options, async (client, org) => {
          const gate =
            requires === undefined
              ? await client.releaseGate(org, name)
              : await client.setReleaseRules(org, name, { requires });
          if (call.screen.json) call.screen.document(gate);
          else showGate(call.screen, name, gate);
          // To set rules is no question about the agent.
          return gate.accepted || requires !== undefined ? exitCodes.ok : exitCodes.failed;
        });
      }),
    );

function requirement(text: string, before: ReleaseRules["requires"] = []): ReleaseRules["requires"] {
  const [name = "", score, flag, ...rest] = text.split(":");
  const isFlag = flag === undefined || flag === "no-regressions";
  const min_score = score === undefined || score === "" ? undefined : Number(score);
  if (
    name === "" ||
    !isFlag ||
    rest.length > 0 ||
    (min_score !== undefined && !(min_score >= 0 && min_score <= 1))
  )
    throw usageError(`--require ${text} is not of the form name, name:0.9 or name:0.9:no-regressions.`);
  return [
    ...before,
    {
      eval: name,
      ...(min_score !== undefined && { min_score }),
      ...(flag !== undefined && { no_regressions: true }),
    },
  ];
}

function showGate(screen: Screen, name: string, { accepted, requires }: OrgReleaseGate): void {
  if (requires.length === 0) {
    screen.say(`${name} has no release gate. \`argosy cloud release ${name} --require <eval>\` sets one.`);
    return;
  }
  screen.table(
    ["EVAL", "LEAST SCORE", "REGRESSIONS", "STATE"],
    requires.map((one) => [
      one.eval,
      `${Math.round(one.min_score * 1000) / 10} %`,
      one.no_regressions ? "refused" : "allowed",
      one.reasons.length === 0 ? paint("green", "met") : paint("red", one.reasons.join("; ")),
    ]),
  );
  const isMet = requires.every(({ reasons }) => reasons.length === 0);
  if (!accepted) screen.say(`${name} may not be deployed as it is.`);
  else screen.say(`${name} may be deployed as it is${isMet ? "" : ", because it was deployed before"}.`);
}
