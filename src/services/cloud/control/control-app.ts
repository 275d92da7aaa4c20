import { Type } from "@sinclair/typebox";
import { eq } from "drizzle-orm";
import { Elysia } from "elysia";
import { Org } from "../../../contracts/cloud/orgs.ts";
import { writeAudit } from "../../../control-plane/audit/write-audit.ts";
import { withControls } from "../../../control-plane/control-app.ts";
import { jsonBody } from "../../../http/bodies/json-body.ts";
import { jsonRoutes } from "../../../http/route-plugins.ts";
import type { ServiceApp, ServiceDefinition } from "../../../http/service-app.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { Logger } from "../../../kit/log.ts";
import type { AccessDeps } from "../access/deps.ts";
import { findOrg } from "../access/find-actor.ts";
import { cloudErrors } from "../errors.ts";
import { presentOrg } from "../orgs/present-org.ts";

const PlanChange = Type.Object(
  { plan: Type.String({ minLength: 1, maxLength: 63 }) },
  { additionalProperties: false },
);

/** Creates the app for the control socket: the cloud's routes, and the change of an org's plan, which no network can reach. */
export function createControlApp(
  deps: AccessDeps & { version: string; log: Logger },
  app: ServiceApp,
  door: Pick<ServiceDefinition, "access" | "secure" | "readReadiness">,
): ServiceApp {
  return withControls(app, {
    name: "cloud-control",
    title: "Argosy cloud, control socket",
    description: "Commands of the machine's owner.",
    version: deps.version,
    ...door,
    errorForm: cloudErrors,
    routes: () => [controlRoutes(deps)],
    log: deps.log,
    newId: deps.newId,
  });
}

const controlRoutes = (deps: AccessDeps) =>
  new Elysia({ prefix: "/control" })
    .use(jsonRoutes())
    .put("/orgs/:slug/plan", async ({ params, body }) => changePlan(deps, params.slug, body.plan), {
      ...jsonBody(PlanChange),
      response: Org,
    });

async function changePlan(deps: AccessDeps, slug: string, plan: string): Promise<Org> {
  const { transact, tables } = deps.storage;
  if (!deps.plans.has(plan)) {
    const names = [...deps.plans.keys()].join(", ");
    throw new AppError("invalid", "invalid_request", `There is no plan ${plan}; there are ${names}.`);
  }
  return transact(async (tx) => {
    const org = await findOrg(tx, tables, slug);
    if (org === undefined) throw new AppError("not_found", "not_found", `There is no org ${slug}.`);
    await tx.update(tables.orgs).set({ plan }).where(eq(tables.orgs.id, org.id));
    const entry = { ownerId: org.id, actor: "machine", action: "org.plan", subject: slug, detail: { plan } };
    await writeAudit(deps, tx, deps.clock.now(), entry);
    return presentOrg(deps, { ...org, plan });
  });
}
