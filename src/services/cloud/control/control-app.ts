import { Type } from "@sinclair/typebox";
import { eq } from "drizzle-orm";
import { Elysia } from "elysia";
import { Org } from "../../../contracts/cloud/orgs.ts";
import { jsonBody } from "../../../http/bodies/json-body.ts";
import { jsonRoutes } from "../../../http/route-plugins.ts";
import { createServiceApp, type ServiceApp, type ServiceDefinition } from "../../../http/service-app.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { Logger } from "../../../kit/log.ts";
import type { AccessDeps } from "../access/deps.ts";
import { findOrg } from "../access/find-actor.ts";
import { writeAudit } from "../audit/write-audit.ts";
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
  const { access, secure, readReadiness } = door;
  const controls = createServiceApp({
    name: "cloud-control",
    title: "Argosy cloud, control socket",
    description: "Commands of the machine's owner.",
    version: deps.version,
    access,
    secure,
    readReadiness,
    errorForm: cloudErrors,
    routes: () => [controlRoutes(deps)],
    log: deps.log,
    newId: deps.newId,
  });
  return {
    ...app,
    handle(request, origin) {
      const isControl = new URL(request.url).pathname.startsWith("/control/");
      return isControl ? controls.handle(request, origin) : app.handle(request, origin);
    },
  };
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
    const entry = { orgId: org.id, actor: "machine", action: "org.plan", subject: slug, detail: { plan } };
    await writeAudit(deps, tx, deps.clock.now(), entry);
    return presentOrg(deps, { ...org, plan });
  });
}
