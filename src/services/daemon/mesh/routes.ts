import { type AnyElysia, Elysia } from "elysia";
import { jsonRoutes } from "../../../http/route-plugins.ts";
import { AppError } from "../../../kit/app-error.ts";

/** Paths of the mesh. Peers call them with a signature instead of the API token. */
export const meshPaths = "/v1/mesh/*";

/** Mesh routes of a daemon without a mesh: each answers 503 `mesh_disabled`. */
export function meshRoutes(): AnyElysia {
  const routes: AnyElysia = new Elysia().use(jsonRoutes());
  routes.get("/v1/mesh/state", async () => disabled(), describe("getMeshState"));
  for (const name of ["join", "leave", "heartbeat", "gossip", "election"])
    routes.post(`/v1/mesh/${name}`, async () => disabled(), describe(`${name}Mesh`));
  return routes;
}

const describe = (operationId: string) => ({
  detail: {
    tags: ["mesh"],
    operationId,
    summary: "Answers 503 `mesh_disabled`: this daemon works alone",
    responses: { 503: { description: "Mesh disabled." } },
  },
});

function disabled(): never {
  throw new AppError("unavailable", "mesh_disabled", "The mesh is off: this daemon works alone.", {
    details: {
      hint: "This version has no mesh. Several executables can share one PostgreSQL database with DATABASE_URL.",
    },
  });
}
