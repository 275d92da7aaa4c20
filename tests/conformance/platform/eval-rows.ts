import { at, evalDocument, json, type RouteRow, tenantRead } from "./route-row.ts";

/** Evals and their runs. */
export const evalRows: RouteRow[] = [
  tenantRead("/api/v1/evals", () => "/api/v1/evals", "own"),
  tenantRead("/api/v1/evals/:name", ({ eval: name }) => `/api/v1/evals/${name}`, "missing"),
  {
    route: "PUT /api/v1/evals/:name",
    plane: "tenant",
    request: ({ eval: name }) => ({
      path: `/api/v1/evals/${name}`,
      body: evalDocument(name),
      headers: json,
    }),
    status: 200,
    foreign: "own",
  },
  {
    route: "POST /api/v1/evals/:name/runs",
    plane: "tenant",
    request: ({ eval: name }) => ({ path: `/api/v1/evals/${name}/runs`, body: {} }),
    status: 202,
    foreign: "missing",
    once: true,
  },
  tenantRead("/api/v1/eval-runs", () => "/api/v1/eval-runs", "own"),
  tenantRead("/api/v1/eval-runs/:id", ({ evalRun }) => `/api/v1/eval-runs/${evalRun}`, "missing"),
  tenantRead(
    "/api/v1/eval-runs/:id/results",
    ({ evalRun }) => `/api/v1/eval-runs/${evalRun}/results`,
    "missing",
  ),
  {
    route: "POST /api/v1/eval-runs/:id/cancel",
    plane: "tenant",
    request: at(({ evalRun }) => `/api/v1/eval-runs/${evalRun}/cancel`),
    status: 200,
    foreign: "missing",
    once: true,
  },
  {
    route: "DELETE /api/v1/evals/:name",
    plane: "tenant",
    request: at(({ eval: name }) => `/api/v1/evals/${name}`),
    status: 204,
    foreign: "missing",
    once: true,
  },
];
