import type { Clock } from "../../../kit/clock.ts";
import { untilAborted } from "../../../kit/concurrency/until-aborted.ts";
import { type Deadline, startDeadline } from "../../../kit/deadline.ts";
import { readBounded } from "../../../kit/fetch/bounded-body.ts";
import { type Random, retry } from "../../../kit/retry.ts";
import { guardStore, noTenant, StoreOutage, storeUnavailable } from "../store-failure.ts";

export interface StoreHttpOptions {
  /** Name of the server in messages: `Qdrant`. */
  server: string;
  /** Address without a trailing slash. */
  url: string;
  headers: Readonly<Record<string, string>>;
  fetch: (url: string, init: RequestInit) => Promise<Response>;
  clock: Clock;
  random: Random;
}

export interface StoreCall {
  method: "GET" | "POST" | "PUT" | "DELETE";
  path: string;
  body?: unknown;
  signal?: AbortSignal | undefined;
  /** Tenant that the call is for; its failures refuse the calls of no other. */
  owner?: string | undefined;
  /** Statuses other than success that the caller handles. */
  expects?: readonly number[];
}

export interface StoreAnswer {
  status: number;
  /** The answer's JSON; undefined for an expected status. */
  body: unknown;
}

/**
 * Sends repeatable calls to a vector server, with retries while it is unreachable or busy. Throws AppError `vectors_unavailable`,
 * immediately while the server is known to be down, or the signal's reason.
 */
export type StoreHttp = (call: StoreCall) => Promise<StoreAnswer>;

/** The calls of one tenant. */
export const ownCalls =
  (http: StoreHttp, owner: string): StoreHttp =>
  (call) =>
    http({ ...call, owner });

const attemptMs = 30_000;
const delaysMs = [100, 400, 1500];
const answerBytesMax = 256 * 1024 * 1024;
const busy: ReadonlySet<number> = new Set([408, 425, 429, 502, 503, 504]);

/** A failure that may be temporary. */
class Passing extends Error {
  readonly throttles: boolean;

  constructor(message: string, options?: { cause?: unknown; throttles?: boolean }) {
    super(message, options);
    this.throttles = options?.throttles ?? false;
  }
}

export function createStoreHttp(options: StoreHttpOptions): StoreHttp {
  const { clock, random, server } = options;
  const guard = guardStore(server, clock);
  const ask: StoreHttp = async (call) => {
    const { signal } = call;
    try {
      return await retry(() => attempt(options, call), {
        attempts: delaysMs.length + 1,
        delaysMs,
        clock,
        random,
        shouldRetry: (thrown) => thrown instanceof Passing,
        ...(signal && { signal }),
      });
    } catch (thrown) {
      if (!(thrown instanceof Passing)) throw thrown;
      const message = `${server} ${thrown.message}`;
      // A single caller may cause too many calls.
      throw thrown.throttles
        ? storeUnavailable(message, thrown.cause)
        : new StoreOutage(message, thrown.cause);
    }
  };
  return (call) => guard({ owner: call.owner ?? noTenant, signal: call.signal }, () => ask(call));
}

async function attempt(options: StoreHttpOptions, call: StoreCall): Promise<StoreAnswer> {
  const { clock, server } = options;
  const tooSlow = () => new StoreOutage(`${server} did not answer in time; see what keeps it busy.`);
  const deadline = startDeadline(clock, attemptMs, tooSlow, call.signal ? [call.signal] : []);
  try {
    return await read(options, call, await send(options, call, deadline), deadline);
  } finally {
    deadline.dispose();
  }
}

const unreachable = "can't be reached. See that it runs and that `url` is its address.";

async function send(options: StoreHttpOptions, call: StoreCall, { signal }: Deadline): Promise<Response> {
  const { fetch, url, headers } = options;
  const { method, path, body } = call;
  const content = body === undefined ? undefined : JSON.stringify(body);
  const init: RequestInit = {
    method,
    headers: {
      accept: "application/json",
      ...(content && { "content-type": "application/json" }),
      ...headers,
    },
    signal,
    redirect: "manual",
    ...(content !== undefined && { body: content }),
  };
  try {
    return await untilAborted(signal, () => fetch(`${url}${path}`, init));
  } catch (thrown) {
    signal.throwIfAborted();
    throw new Passing(unreachable, { cause: thrown });
  }
}

async function read(
  { server }: StoreHttpOptions,
  { expects = [] }: StoreCall,
  response: Response,
  { signal }: Deadline,
): Promise<StoreAnswer> {
  const { status } = response;
  if (expects.includes(status)) {
    await response.body?.cancel().catch(() => undefined);
    return { status, body: undefined };
  }
  const text = await textOf(response, signal);
  if (busy.has(status))
    throw new Passing(`is too busy or starting (${status}); try again later.`, { throttles: status === 429 });
  if (!response.ok) throw storeUnavailable(`${server} ${meaningOf(status)}`, new Error(text.slice(0, 500)));
  try {
    return { status, body: JSON.parse(text) };
  } catch (cause) {
    throw storeUnavailable(
      `${server} answered with something that is not JSON; is \`url\` its address?`,
      cause,
    );
  }
}

async function textOf(response: Response, signal: AbortSignal): Promise<string> {
  try {
    return new TextDecoder().decode(await readBounded(response, answerBytesMax, signal));
  } catch (thrown) {
    signal.throwIfAborted();
    throw new Passing("broke off in the middle of an answer.", { cause: thrown });
  }
}

function meaningOf(status: number): string {
  if (status === 401 || status === 403)
    return "refused the key; check `api_key_env` and the variable it names.";
  if (status >= 300 && status < 400)
    return "answered with a redirect, which isn't followed; write the address it leads to into `url`.";
  if (status === 404) return "has nothing at this address; check `url`.";
  if (status === 413) return "takes smaller requests only; raise its limit to 32 MiB or more.";
  if (status === 507) return "has no room left.";
  if (status >= 500) return `failed (${status}); its log says more.`;
  return `did not take the request (${status}); is it a version that is supported?`;
}
