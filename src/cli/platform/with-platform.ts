import { Command } from "commander";
import type { ReachedPlatform } from "../../command/parts.ts";
import type { PlatformClient, PlatformCredential } from "../../contracts/platform/clients/client.ts";
import type { ControlClient } from "../../contracts/platform/clients/control-client.ts";
import { type NamedTenant, tenantsNamed } from "../../contracts/platform/tenant-named.ts";
import { AppError } from "../../kit/app-error.ts";
import { silentLogger } from "../../kit/log.ts";
import { allPages, type CommandCall, readConfig } from "../call.ts";
import { usageError } from "../terminal/report-error.ts";
import { accessTokenOf } from "./access-token.ts";

/** Options of every command that calls a platform. */
export interface PlatformOptions {
  url?: string;
  tenant?: string;
}

/** Creates a subcommand of `argosy platform` with `--url`. */
export const platformCommand = (name: string, description: string) =>
  new Command(name)
    .description(description)
    .option(
      "--url <address>",
      "address of the platform (ARGOSY_PLATFORM_URL, else the one of the data folder)",
    );

/** Like `platformCommand`, for commands that act for a tenant. */
export const tenantCommand = (name: string, description: string) =>
  platformCommand(name, description).option(
    "--tenant <id>",
    "a tenant's id, name or display name (ARGOSY_PLATFORM_TENANT, else the only tenant)",
  );

/** Connects to the platform for the duration of `use`. */
export async function withPlatform<T>(
  call: CommandCall,
  { url }: PlatformOptions,
  use: (platform: ReachedPlatform) => Promise<T>,
): Promise<T> {
  const config = await readConfig(call);
  const log = call.options.logLevel === undefined ? undefined : await call.shell.parts.createLogger(config);
  const platform = await call.shell.parts.reachPlatform(config, {
    log: log ?? silentLogger,
    ...(url === undefined ? {} : { url }),
  });
  try {
    return await use(platform);
  } finally {
    await platform.close();
    log?.flush();
  }
}

/** Runs a tenant's command: with its API key, as the signed-in person, or, on the machine itself, as its owner. */
export function withTenant<T>(
  call: CommandCall,
  options: PlatformOptions,
  use: (client: PlatformClient) => Promise<T>,
): Promise<T> {
  return withPlatform(call, options, async (platform) => {
    const { apiKey, tenant: configured } = platform.variables;
    if (platform.via === "network" && apiKey !== undefined) return use(platform.as({ apiKey }));
    const credential: PlatformCredential =
      platform.control === undefined ? { accessToken: await accessTokenOf(platform) } : {};
    const list = async () => {
      if (platform.control !== undefined) return (await platform.control.listLocalTenants()).tenants;
      return (await platform.as(credential).listTenants()).tenants;
    };
    const tenantId = await tenantNamed(options.tenant ?? configured, list);
    return use(platform.as({ ...credential, tenantId }));
  });
}

/** Runs an operator's command: with the operator token, as the signed-in operator, or, on the machine itself, as its owner. */
export function withOperator<T>(
  call: CommandCall,
  options: PlatformOptions,
  use: (
    client: PlatformClient,
    findTenant: () => Promise<string>,
    tenantNames: () => Promise<TenantNames>,
  ) => Promise<T>,
): Promise<T> {
  return withPlatform(call, options, async (platform) => {
    const { operatorToken, tenant } = platform.variables;
    const client = platform.as(await operatorCredential(platform, operatorToken));
    const list = () =>
      allPages(async (cursor) => {
        const page = await client.listAllTenants({ limit: 200, ...(cursor === undefined ? {} : { cursor }) });
        const items = page.tenants.map(({ id, cr_name, display_name, status }) => ({
          id,
          crName: cr_name,
          displayName: display_name,
          isActive: status === "active",
        }));
        return { items, next: page.next_cursor };
      });
    const names = async () => {
      const byId = new Map((await list()).map(({ id, crName }) => [id, crName]));
      return (id: string) => byId.get(id) ?? id;
    };
    const wanted = options.tenant ?? tenant;
    // A deleted tenant still has its bills.
    const candidates = async () => {
      const all = await list();
      const active = all.filter(({ isActive }) => isActive);
      return wanted === undefined || tenantsNamed(active, wanted).length > 0 ? active : all;
    };
    return use(client, () => tenantNamed(wanted, candidates), names);
  });
}

async function operatorCredential(
  platform: ReachedPlatform,
  operatorToken: string | undefined,
): Promise<PlatformCredential> {
  if (platform.control !== undefined) return {};
  return operatorToken === undefined ? { accessToken: await accessTokenOf(platform) } : { operatorToken };
}

/** Runs a command that only a signed-in person may use. */
export function withPerson<T>(
  call: CommandCall,
  options: PlatformOptions,
  use: (client: PlatformClient, findTenant: () => Promise<string>) => Promise<T>,
): Promise<T> {
  return withPlatform(call, options, async (platform) => {
    const client = platform.as({ accessToken: await accessTokenOf(platform) });
    const wanted = options.tenant ?? platform.variables.tenant;
    return use(client, () => tenantNamed(wanted, async () => (await client.listTenants()).tenants));
  });
}

/** Runs a command that is possible only on the machine itself. */
export function withControl<T>(call: CommandCall, use: (control: ControlClient) => Promise<T>): Promise<T> {
  return withPlatform(call, {}, async ({ control }) => {
    if (control !== undefined) return use(control);
    throw usageError(
      "This command works only on the platform's own machine.",
      "Run it there, without ARGOSY_PLATFORM_URL.",
    );
  });
}

/** Returns the name of a tenant, or its id if it no longer has one. */
export type TenantNames = (tenantId: string) => string;

const shownMax = 5;

const severalTenants = (tenants: readonly NamedTenant[], wanted: string) =>
  usageError(
    `${tenants.length} tenants are named ${wanted}.`,
    `Choose one: --tenant ${tenants
      .map(({ crName }) => crName)
      .slice(0, shownMax)
      .join(", ")}.`,
  );

/** Returns the id of the tenant with this id, name or display name; without a name, of the only tenant. */
export async function tenantNamed(
  wanted: string | undefined,
  list: () => Promise<NamedTenant[]>,
): Promise<string> {
  const tenants = await list();
  const [tenant, ...alike] = wanted === undefined ? [] : tenantsNamed(tenants, wanted);
  if (alike.length > 0)
    throw severalTenants(
      [tenant, ...alike].flatMap((one) => one ?? []),
      wanted ?? "",
    );
  if (tenant !== undefined) return tenant.id;
  if (wanted !== undefined) {
    throw new AppError("not_found", "not_found", `There is no tenant ${wanted}.`, {
      details: { hint: "`argosy platform tenants` lists them." },
    });
  }
  const [only, ...more] = tenants;
  if (only !== undefined && more.length === 0) return only.id;
  if (only === undefined) {
    throw new AppError("not_found", "not_found", "You have no tenant.", {
      details: { hint: "`argosy platform tenants create <name>` creates one." },
    });
  }
  const names = tenants.slice(0, shownMax).map(({ crName }) => crName);
  throw usageError(`Choose a tenant: --tenant ${names.join(", ")}${tenants.length > shownMax ? " …" : ""}.`);
}
