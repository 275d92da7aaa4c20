import { Command } from "commander";
import type { ReachedCloud } from "../../command/parts.ts";
import { AppError } from "../../kit/app-error.ts";
import { silentLogger } from "../../kit/log.ts";
import { type CommandCall, type Perform, readConfig } from "../call.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { accessTokenOf } from "./access-token.ts";

export type SignedInCloud = ReturnType<ReachedCloud["as"]>;

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
  cloudCommand(name, description).option(
    "--org <slug>",
    "an org (ARGOSY_CLOUD_ORG, else the one that you signed in to)",
  );

/** Connects to the cloud for the duration of `use`. */
export async function withCloud<T>(
  call: CommandCall,
  { url }: CloudOptions,
  use: (cloud: ReachedCloud) => Promise<T>,
): Promise<T> {
  const config = await readConfig(call);
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

/**
 * Runs an org's command: over the network with the API key of the environment or as the signed-in person, and on the machine itself as its
 * owner.
 */
export const withOrg = <T>(
  call: CommandCall,
  options: CloudOptions,
  use: (client: SignedInCloud, org: string) => Promise<T>,
): Promise<T> =>
  withCloud(call, options, async (cloud) => {
    const session = cloud.session.find();
    const sessionOrg = session?.url === cloud.url ? session?.org : undefined;
    const org = options.org ?? cloud.variables.org ?? sessionOrg;
    // Without a sign-in, the name of an org would not help.
    const headers = await orgHeaders(cloud);
    if (org === undefined) {
      throw new AppError("invalid", "usage", "Name the org with --org <slug> or ARGOSY_CLOUD_ORG.");
    }
    return use(cloud.as(headers), org);
  });

/** Runs a command of the signed-in person. */
export const withPerson = <T>(
  call: CommandCall,
  options: CloudOptions,
  use: (client: SignedInCloud, cloud: ReachedCloud) => Promise<T>,
): Promise<T> =>
  withCloud(call, options, async (cloud) => use(cloud.as(bearer(await accessTokenOf(cloud))), cloud));

async function orgHeaders(cloud: ReachedCloud): Promise<Record<string, string>> {
  if (cloud.url === undefined) return {};
  const { apiKey } = cloud.variables;
  return apiKey === undefined ? bearer(await accessTokenOf(cloud)) : { "x-api-key": apiKey };
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

/** The work of a command that prints one answer: `show` for people, the whole answer with `--json`. */
export interface CloudOutput<Answer> {
  ask: (client: SignedInCloud, org: string) => Promise<Answer>;
  show: (screen: CommandCall["screen"], answer: Answer) => void;
}

/** Performs an org's command that prints one answer. */
export const performShown = <Answer>(
  perform: Perform,
  command: Command,
  options: CloudOptions,
  { ask, show }: CloudOutput<Answer>,
): Promise<void> =>
  perform(command, (call) =>
    withOrg(call, options, async (client, org): Promise<ExitCode> => {
      const answer = await ask(client, org);
      if (call.screen.json) call.screen.document(answer as object);
      else show(call.screen, answer);
      return exitCodes.ok;
    }),
  );
