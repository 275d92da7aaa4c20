import type { Config } from "../compose/settings/config.ts";
import { gatewayAdminClient } from "../contracts/gateway/client.ts";
import { platformClient } from "../contracts/platform/clients/client.ts";
import { controlClient } from "../contracts/platform/clients/control-client.ts";
import { tenantsNamed } from "../contracts/platform/tenant-named.ts";
import { type ApplyOptions, applyWorkspace, type StepResult } from "../declared/apply-workspace.ts";
import { readDeclaredWorkspace } from "../declared/declared-workspace.ts";
import { findWorkspaceDrift, type WorkspaceDrift } from "../declared/find-workspace-drift.ts";
import { isOfGateway } from "../declared/kinds/registry.ts";
import { type MadeWorkspacePlan, type PlanOptions, planWorkspace } from "../declared/plan-workspace.ts";
import type { WorkspaceTarget } from "../declared/workspace-kind.ts";
import { AppError } from "../kit/app-error.ts";
import { systemClock } from "../kit/clock.ts";
import type { Logger } from "../kit/log.ts";
import { findServer, reachServices } from "./reach.ts";

/** A workspace's files, and the tenant that they are applied to. */
export interface ReachedWorkspace {
  plan(options: PlanOptions): Promise<MadeWorkspacePlan>;
  apply(made: MadeWorkspacePlan, options: Omit<ApplyOptions, "clock">): Promise<StepResult[]>;
  drift(): Promise<WorkspaceDrift>;
  close(): Promise<void>;
}

interface WorkspaceOptions {
  log: Logger;
  /** Id or name of the tenant, from the command line. */
  tenant?: string | undefined;
}

/**
 * Reads the workspace and connects to the platform of this data folder, running or not, and to its gateway if the workspace has channels or
 * had some at the last apply. Throws `invalid_workspace` for faulty files.
 */
export async function reachWorkspace(
  config: Config,
  { log, tenant: asked }: WorkspaceOptions,
): Promise<ReachedWorkspace> {
  refuseRemote(config);
  const declared = readDeclaredWorkspace(config.workspace, (name) => {
    const reason = config.programs.withholding();
    if (reason !== undefined) throw untrusted(name, reason);
    return config.variable(name);
  });
  const { adminToken } = config.gateway;
  const needsGateway = declared.resources.some(isOfGateway);
  if (needsGateway && adminToken === undefined) throw tokenNeeded();
  // Channels of an earlier apply may have to be deleted, so a gateway that can be reached is.
  const withGateway = needsGateway || (adminToken !== undefined && (await canReachGateway(config)));
  const { addresses, close } = await reachServices(
    config,
    withGateway ? ["platform", "gateway"] : ["platform"],
    { log },
  );
  try {
    const [platform, gateway] = addresses;
    if (platform === undefined) throw new Error("no address of the platform");
    const control = controlClient(platform);
    const wanted = asked ?? (config.variable("ARGOSY_PLATFORM_TENANT") || undefined) ?? declared.tenant;
    const tenant = await tenantOf(wanted, control);
    const target: WorkspaceTarget = {
      tenantId: tenant.id,
      tenantName: tenant.crName,
      tenant: platformClient({ ...platform, tenantId: tenant.id }),
      operator: platformClient(platform),
      control,
      gateway:
        gateway === undefined || adminToken === undefined
          ? undefined
          : gatewayAdminClient(gateway, adminToken),
    };
    return {
      plan: (options) => planWorkspace(target, declared, options),
      apply: (made, options) => applyWorkspace(target, made, { clock: systemClock, ...options }),
      drift: () => findWorkspaceDrift(target),
      close,
    };
  } catch (thrown) {
    await close();
    throw thrown;
  }
}

/** True unless a server runs on the data folder without a gateway. */
async function canReachGateway(config: Pick<Config, "dataFolder">): Promise<boolean> {
  if ((await findServer(config, "gateway")) !== undefined) return true;
  return (await findServer(config, "platform")) === undefined;
}

async function tenantOf(
  wanted: string | undefined,
  control: Pick<WorkspaceTarget["control"], "listLocalTenants">,
): Promise<{ id: string; crName: string }> {
  const { tenants } = await control.listLocalTenants();
  const [tenant, ...alike] = wanted === undefined ? [] : tenantsNamed(tenants, wanted);
  if (alike.length > 0) {
    throw new AppError("invalid", "usage", `${alike.length + 1} tenants are named ${wanted}.`, {
      details: { hint: "`argosy platform tenants` lists their ids." },
    });
  }
  if (tenant !== undefined) return tenant;
  if (wanted !== undefined) {
    throw new AppError("not_found", "not_found", `There is no tenant ${wanted}.`, {
      details: { hint: "`argosy platform tenants` lists them." },
    });
  }
  const [only, ...more] = tenants;
  if (only === undefined) {
    throw new AppError("not_found", "not_found", "The platform has no tenant yet.", {
      details: {
        hint: "`argosy platform register <email>` and `argosy platform tenants create <name>` make one.",
      },
    });
  }
  if (more.length === 0) return only;
  throw new AppError("invalid", "usage", `The platform has ${tenants.length} tenants.`, {
    details: { hint: "Choose one: `tenant` in platform.yaml, --tenant, or ARGOSY_PLATFORM_TENANT." },
  });
}

function refuseRemote({ variable }: Pick<Config, "variable">): void {
  if (!variable("ARGOSY_PLATFORM_URL")) return;
  throw new AppError(
    "invalid",
    "usage",
    "A workspace is applied on the platform's own machine, and ARGOSY_PLATFORM_URL names another.",
    { details: { hint: "Run the command there, without ARGOSY_PLATFORM_URL." } },
  );
}

const tokenNeeded = () =>
  new AppError(
    "invalid",
    "gateway_token_needed",
    "platform.yaml declares channels, and GATEWAY_ADMIN_TOKEN is not set.",
    { details: { hint: "Set it to the gateway's admin token, which has at least 32 bytes." } },
  );

function untrusted(variable: string, reason: string): AppError {
  return new AppError(
    "forbidden",
    "workspace_untrusted",
    `The workspace does not get the variable ${variable}: ${reason}.`,
  );
}
