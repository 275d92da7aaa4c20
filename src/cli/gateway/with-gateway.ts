import { Command, Option } from "commander";
import type { ReachedGateway } from "../../command/parts.ts";
import { channelNames } from "../../contracts/gateway/channels.ts";
import type { DeskCredential } from "../../contracts/gateway/client.ts";
import { silentLogger } from "../../kit/log.ts";
import { type CommandCall, readConfig } from "../call.ts";
import { wholeNumber } from "../option-values.ts";
import { accessTokenOf } from "../platform/access-token.ts";
import { tenantNamed } from "../platform/with-platform.ts";
import { requireTrust } from "../workspace/require-trust.ts";

/** Options of every command that calls a gateway. */
export interface GatewayOptions {
  url?: string;
  /** Person for whom the calls are made. */
  as?: string;
}

export interface PageOptions extends GatewayOptions {
  limit?: number;
  offset?: number;
}

/** Creates a subcommand of `argosy gateway` with `--url`. */
export const gatewayCommand = (name: string, description: string) =>
  new Command(name)
    .description(description)
    .option(
      "--url <address>",
      "address of the gateway (ARGOSY_GATEWAY_URL, else the one of the data folder)",
    );

/** Like `gatewayCommand`, for lists. */
export const listCommand = (name: string, description: string) =>
  gatewayCommand(name, description)
    .option("--limit <count>", "number of rows, 1 to 200 (50)", wholeNumber(200))
    .option("--offset <count>", "rows to leave out", wholeNumber(1_000_000_000));

/** Option of what is done in a person's name. */
export const personOption = () => new Option("--as <name>", "person who does it, for the others at the desk");

export const channelOption = () => new Option("--channel <name>", "a channel").choices([...channelNames]);

export const pageOf = ({ limit, offset }: PageOptions): { limit?: number; offset?: number } => ({
  ...(limit === undefined ? {} : { limit }),
  ...(offset === undefined ? {} : { offset }),
});

/** Connects to the gateway for the duration of `use`. */
export async function withGateway<T>(
  call: CommandCall,
  { url, as: person }: GatewayOptions,
  use: (client: ReachedGateway["client"]) => Promise<T>,
  { runsAgents = false } = {},
): Promise<T> {
  const config = await readConfig(call);
  const isElsewhere = (url ?? config.variable("ARGOSY_GATEWAY_URL") ?? "") !== "";
  if (runsAgents && !isElsewhere) await requireTrust(call, config);
  const log = call.options.logLevel === undefined ? undefined : await call.shell.parts.createLogger(config);
  const needsOwn = isElsewhere && config.gateway.adminToken === undefined;
  const gateway = await call.shell.parts.reachGateway(config, {
    log: log ?? silentLogger,
    runsAgents,
    person,
    credential: needsOwn ? await deskCredentialOf(call, config) : undefined,
    ...(url === undefined ? {} : { url }),
  });
  try {
    return await use(gateway.client);
  } finally {
    await gateway.close();
    log?.flush();
  }
}

/** The platform's credential of a tenant's desk: the tenant's key, or the session of the signed-in person. */
async function deskCredentialOf(
  call: CommandCall,
  config: Awaited<ReturnType<typeof readConfig>>,
): Promise<DeskCredential | undefined> {
  const apiKey = config.variable("ARGOSY_PLATFORM_KEY") ?? "";
  if (apiKey !== "") return { apiKey };
  if ((config.variable("ARGOSY_PLATFORM_URL") ?? "") === "") return undefined;
  const platform = await call.shell.parts.reachPlatform(config, { log: silentLogger });
  try {
    const accessToken = await accessTokenOf(platform);
    const { tenant } = platform.variables;
    const list = async () => (await platform.as({ accessToken }).listTenants()).tenants;
    return { accessToken, tenantId: await tenantNamed(tenant, list) };
  } finally {
    await platform.close();
  }
}
