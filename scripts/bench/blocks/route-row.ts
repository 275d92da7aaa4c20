import type { Answered } from "./caller.ts";

export interface AskOptions {
  /** Text, or a value that is sent as JSON. */
  body?: unknown;
  headers?: Record<string, string>;
  /** How often it is sent at the same time. */
  times?: number;
}

/** Sends a request to a service and reads its answer whole. */
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
  before?: () => Promise<unknown>;
  /** Called before each round. */
  prepare?: (round: number) => Promise<unknown>;
  ask: (round: number) => Promise<Answered>;
}

export const KIB = 1024;
export const MIB = 1024 * KIB;

export const fill = (unit: string, length: number) =>
  unit.repeat(Math.ceil(length / unit.length)).slice(0, length);
export const times = <T>(count: number, make: (n: number) => T): T[] =>
  Array.from({ length: count }, (_, n) => make(n));
export const record = <T>(count: number, make: (n: number) => [string, T]): Record<string, T> =>
  Object.fromEntries(times(count, make));

/** Does them in order, and throws at the first that fails. */
export async function expectOk(answer: Answered | Promise<Answered>): Promise<Answered> {
  const { status, text } = await answer;
  if (status >= 200 && status < 300) return answer;
  throw new Error(`A request that prepares a row was answered with ${status}: ${text.slice(0, 500)}`);
}
