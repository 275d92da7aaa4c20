import type { Things } from "./matrix-world.ts";

/** The callers of a route; `public` routes check no credential. */
export type Plane = "public" | "person" | "tenant" | "operator" | "run";

/** A request that its rightful caller may make: it succeeds, unless that would end what other rows need. */
export interface RouteRequest {
  path: string;
  body?: unknown;
  headers?: Record<string, string>;
}

/** The expected answers of a route; the matrix tries each row with each credential. */
export interface RouteRow {
  /** Method and pattern as in the route table. */
  route: string;
  plane: Plane;
  /** `caller` is a unique text for each credential, for names that can be used once. */
  request: (things: Things, caller: string) => RouteRequest;
  status: number;
  /**
   * The answer to a stranger's valid credential: `missing`, a 404 as for a thing that does not exist; `own`, an answer about its own
   * things; undefined for planes without tenants.
   */
  foreign?: "missing" | "own";
  /** True if the request succeeds only once, so that only one rightful caller is tried. */
  once?: true;
  /** True if the request ends its own session, so that strangers' credentials, which others rows need, are not tried. */
  endsSession?: true;
  /** True for a WebSocket route. */
  socket?: true;
}

/** True if the row's requests must leave every table as it is; a WebSocket starts a run. */
export const onlyReads = ({ route, socket }: RouteRow): boolean => route.startsWith("GET ") && !socket;

/** True if the row's requests start or resume a run, which may still write after its answer. */
export const mayOutlast = ({ route }: Pick<RouteRow, "route">): boolean =>
  /\/(run|run\/stream|try|approve|reject)$/.test(route);

/** Content type for the parser of specs. */
export const json = { "content-type": "application/json" };
/** An agent that the staged runtime accepts. */
export const agentSpec = (name: string) => ({
  apiVersion: "platform/v1",
  kind: "Agent",
  metadata: { name },
  spec: { model: { primary: { provider: "lab", model: "test-model" } } },
});
/** An eval of the agent `support`. */
export const evalDocument = (name: string) => ({
  apiVersion: "platform/v1",
  kind: "Eval",
  metadata: { name },
  spec: { agent: "support", cases: [{ query: "hello", checks: [{ contains: "hello" }] }] },
});
/** A plan without limits. */
export const planInput = (id: string) => ({
  id,
  name: id,
  max_concurrency: null,
  max_rpm: null,
  credit_cap_period_micros: null,
  max_tokens_per_call: null,
  max_run_tokens: null,
  max_iterations: null,
  max_active_agents: null,
  min_fee_micros: 0,
  activation_price_micros: 0,
  included_credits_micros: 0,
  extra_credit_price_micros: 0,
  spec: { unidades: {}, features: {} },
});

/** A request that consists only of a path. */
export const at = (path: (things: Things) => string) => (things: Things) => ({ path: path(things) });
/** A read route of tenants. */
export const tenantRead = (
  route: string,
  path: (things: Things) => string,
  foreign: "missing" | "own",
): RouteRow => ({
  route: `GET ${route}`,
  plane: "tenant",
  request: at(path),
  status: 200,
  foreign,
});
/** A read route of operators. */
export const operatorRead = (route: string, path: (things: Things) => string): RouteRow => ({
  route: `GET ${route}`,
  plane: "operator",
  request: at(path),
  status: 200,
});
/** A public route, whose path has no parameters. */
export const open = (route: string, status = 200): RouteRow => ({
  route,
  plane: "public",
  request: () => ({ path: route.split(" ")[1] ?? "" }),
  status,
});
