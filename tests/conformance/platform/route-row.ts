import type { Things } from "./matrix-world.ts";

/** Who a route is for; `public` ones look at no credential. */
export type Plane = "public" | "person" | "tenant" | "operator" | "run";

/** A request that its rightful caller is answered well. */
export interface RouteRequest {
  path: string;
  body?: unknown;
  headers?: Record<string, string>;
}

/** How a route answers, and to whom: the matrix tries each row with each credential. */
export interface RouteRow {
  /** Method and pattern as the route table has them. */
  route: string;
  plane: Plane;
  /** `caller` is another text for each credential, for names that may be given once. */
  request: (things: Things, caller: string) => RouteRequest;
  status: number;
  /**
   * What a stranger's sound credential is told: `missing`, 404 as for what exists nowhere; `own`, an answer about its own things;
   * undefined for planes without tenants.
   */
  foreign?: "missing" | "own";
  /** Done once it is done: only one rightful caller is tried. */
  once?: true;
  /** Answers by a WebSocket. */
  socket?: true;
}

/** The parser of specs wants to be told. */
export const json = { "content-type": "application/json" };
/** An agent that the staged runtime takes. */
export const agentSpec = (name: string) => ({
  apiVersion: "platform/v1",
  kind: "Agent",
  metadata: { name },
  spec: { model: { primary: { provider: "lab", model: "test-model" } } },
});
/** A plan without any limit. */
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

/** A request that is all path. */
export const at = (path: (things: Things) => string) => (things: Things) => ({ path: path(things) });
/** A reading route of tenants. */
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
/** A reading route of operators. */
export const operatorRead = (route: string, path: (things: Things) => string): RouteRow => ({
  route: `GET ${route}`,
  plane: "operator",
  request: at(path),
  status: 200,
});
/** A route for everybody, whose path has no parameters. */
export const open = (route: string, status = 200): RouteRow => ({
  route,
  plane: "public",
  request: () => ({ path: route.split(" ")[1] ?? "" }),
  status,
});
