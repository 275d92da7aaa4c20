import type { Command } from "commander";
import type { TranslatorClient } from "../../contracts/translator/client.ts";
import type { SpecReference } from "../../contracts/translator/translation.ts";
import type { CommandCall, Perform } from "../call.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { paint } from "../terminal/paint.ts";
import { usageError } from "../terminal/report-error.ts";
import {
  driftPlatform,
  refuseCloudOptions,
  refuseWorkspaceOptions,
  type WorkspaceOptions,
} from "../workspace/platform-workspace.ts";
import { printChanges } from "./print-changes.ts";
import {
  accountCommand,
  allSpecs,
  specFiles,
  type TranslatorOptions,
  targetOf,
  withTranslator,
} from "./with-translator.ts";

type DriftOptions = TranslatorOptions & WorkspaceOptions & { platform?: boolean };

export const driftCommand = (perform: Perform) =>
  accountCommand(
    "drift",
    "show what was changed in a cloud account, or on the platform, since the last apply",
  )
    .argument("[paths...]", "manifests, or folders of them (default: everything that was submitted)")
    .option("--exit-code", "exit with status 2 if there are differences")
    .option("--platform", "compare the platform and the gateway with the workspace's last apply")
    .option("--tenant <id>", "with --platform: a tenant's id, name or display name")
    .action((paths: string[], options: DriftOptions, command: Command) =>
      perform(command, async (call) => {
        if (options.platform !== true) {
          refuseWorkspaceOptions(options);
          return drift(call, paths, options);
        }
        refuseCloudOptions(options);
        if (paths.length > 0) throw usageError("--platform is for the whole workspace.", "Name no paths.");
        return driftPlatform(call, options);
      }),
    );

async function drift(call: CommandCall, paths: readonly string[], options: DriftOptions): Promise<ExitCode> {
  const { screen } = call;
  const drifts = await withTranslator(call, options, async (client) => {
    const all = [];
    for (const { kind, name } of await namedSpecs(call, client, paths)) {
      call.signal.throwIfAborted();
      all.push(await client.drift(kind, name, targetOf(options)));
    }
    return all;
  });
  const drifted = drifts.filter((one) => one.drifted);
  if (screen.json) screen.document({ drifts });
  else {
    for (const { kind, name, account, changes } of drifted) {
      screen.print(paint("bold", `${kind}/${name}`), paint("dim", ` in account ${account}`));
      printChanges(screen, changes);
    }
    screen.say(
      drifted.length === 0
        ? "The account is as it was left."
        : `${drifted.length} of ${drifts.length} have drifted. \`argosy apply\` restores what their manifests say.`,
    );
  }
  return drifted.length > 0 && options.exitCode === true ? exitCodes.different : exitCodes.ok;
}

/** Returns the specs in the files, without submitting them; without paths, all that were submitted. */
export async function namedSpecs(
  call: CommandCall,
  client: TranslatorClient,
  paths: readonly string[],
): Promise<SpecReference[]> {
  if (paths.length === 0) return allSpecs(client);
  const files = await specFiles(call, paths);
  return Promise.all(files.map(({ yaml }) => client.translate(yaml)));
}
