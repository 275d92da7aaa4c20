import type { Answered } from "./caller.ts";

export interface AskOptions {
  /** Text, or a value that is sent as JSON. */
  body?: unknown;
  headers?: Record<string, string>;
  /** How often it is sent at the same time. */
  times?: number;
}

/** Sends a request to a service and reads its whole answer. */
export type Ask = (method: string, path: string, options?: AskOptions) => Promise<Answered>;

export interface World {
  /** Requests to a service, with a prefix for their paths and headers that each has. */
  askOf(service: string, prefix?: string, headers?: Record<string, string>): Ask;
  adminToken: string;
  /** Address of a server that an attacker runs. */
  hostile: string;
}

/** One request that is measured, up to a few times; `round` makes names unique. */
export interface RouteRow {
  name: string;
  /** Called once. */
  before?: (() => Promise<unknown>) | undefined;
  /** Called before each round. */
  prepare?: ((round: number) => Promise<unknown>) | undefined;
  ask: (round: number) => Promise<Answered>;
}

/** Rows that read: a name and a path each. */
export const reads = (service: string, ask: Ask, paths: readonly (readonly [string, string])[]): RouteRow[] =>
  paths.map(([name, path]) => ({ name: `${service}: ${name}`, ask: () => ask("GET", path) }));

/** A row that posts a body, which may depend on the round. */
export const posts = (
  name: string,
  ask: Ask,
  path: string,
  body: unknown,
  more: Omit<AskOptions, "body"> & Pick<RouteRow, "before" | "prepare"> = {},
): RouteRow => {
  const { before, prepare, ...options } = more;
  const bodyOf = (round: number) => (typeof body === "function" ? body(round) : body);
  return { name, before, prepare, ask: (round) => ask("POST", path, { ...options, body: bodyOf(round) }) };
};

export const yamlType = { headers: { "content-type": "application/yaml" } };

/** Returns the answer, or throws if it is a refusal. */
export async function expectOk(answer: Answered | Promise<Answered>): Promise<Answered> {
  const { status, text } = await answer;
  if (status >= 200 && status < 300) return answer;
  throw new Error(`A request that prepares a row was answered with ${status}: ${text.slice(0, 500)}`);
}
