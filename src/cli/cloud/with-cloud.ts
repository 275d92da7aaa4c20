import { Command } from "commander";
import { AppError } from "../../kit/app-error.ts";
import { silentLogger } from "../../kit/log.ts";
import { type Call, loadConfig } from "../call.ts";
import type { ReachedCloud } from "../parts.ts";

/** Options of every command that calls a cloud. */
export interface CloudOptions {
  url?: string;
  org?: string;
}

/** Creates a subcommand of `argosy cloud` with `--url`. */
export const cloudCommand = (name: string, description: string) =>
  new Command(name)
    .description(description)
    .option("--url <address>", "address of the cloud (ARGOSY_CLOUD_URL, else the one of the data folder)");

/** Like `cloudCommand`, for commands that act for an org. */
export const orgCommand = (name: string, description: string) =>
  cloudCommand(name, description).option("--org <slug>", "an org (ARGOSY_CLOUD_ORG)");

/** Connects to the cloud for the duration of `use`. */
export async function withCloud<T>(
  call: Call,
  { url }: CloudOptions,
  use: (cloud: ReachedCloud) => Promise<T>,
): Promise<T> {
  const config = await loadConfig(call);
  const log = call.options.logLevel === undefined ? undefined : await call.shell.parts.createLogger(config);
  const cloud = await call.shell.parts.reachCloud(config, {
    log: log ?? silentLogger,
    ...(url === undefined ? {} : { url }),
  });
  try {
    return await use(cloud);
  } finally {
    await cloud.close();
    log?.flush();
  }
}

/** Runs an org's command: with its API key over the network, or on the machine itself as its owner. */
export const withOrg = <T>(
  call: Call,
  options: CloudOptions,
  use: (client: ReachedCloud["client"], org: string) => Promise<T>,
): Promise<T> =>
  withCloud(call, options, async ({ client, org: configured }) => {
    const org = options.org ?? configured;
    if (org === undefined) {
      throw new AppError("invalid", "usage", "Name the org with --org <slug> or ARGOSY_CLOUD_ORG.");
    }
    return use(client, org);
  });
