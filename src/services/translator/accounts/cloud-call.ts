import type { GuardedNetwork } from "../../../engine/tools/network/guarded-network.ts";
import { AppError } from "../../../kit/app-error.ts";
import { type Clock, sleep } from "../../../kit/clock.ts";
import type { NewId } from "../../../kit/id.ts";
import { type Random, withJitter } from "../../../kit/retry.ts";
import { redactText } from "../../../kit/secrets/redact-text.ts";
import type { SecretLearner } from "../../../kit/secrets/secret-registry.ts";
import { cutText } from "../../../kit/text/cut-text.ts";

/** Ports of the drivers that call clouds. */
export interface CloudPorts {
  network: GuardedNetwork;
  clock: Clock;
  random: Random;
  newId: NewId;
  /** Masks tokens in logs as soon as they are known. */
  secrets: SecretLearner;
}

/** One request of a cloud's API, with its credentials. */
export interface CloudRequest {
  method: string;
  url: string;
  headers: Record<string, string>;
  body?: string | undefined;
}

export interface CloudAnswer {
  status: number;
  headers: Headers;
  text: string;
}

export interface CloudCallOptions {
  /** An origin of the operator's configuration, which may be in a private network. */
  trustedOrigin?: string | undefined;
  /** True if a call that may have reached the cloud can be repeated. Calls that the cloud put off are always repeated. */
  isRead: boolean;
  signal: AbortSignal;
}

const timeoutMs = 60_000;
const bodyBytesMax = 16 * 1024 * 1024;
const attemptsMax = 4;
const delaysMs = [1_000, 2_000, 4_000];
/** Longest wait that a cloud may ask for within a call; for a longer one, the caller gets the refusal. */
const waitMsMax = 20_000;

/**
 * Sends a request to a cloud and repeats it if the cloud says that it is busy. `sign` makes the request anew for each attempt, because
 * signatures and tokens expire. Throws `network_failed` or `network_timed_out`.
 */
export async function callCloud(
  { network, clock, random }: CloudPorts,
  sign: () => Promise<CloudRequest>,
  { trustedOrigin, isRead, signal }: CloudCallOptions,
): Promise<CloudAnswer> {
  for (let attempt = 1; ; attempt++) {
    signal.throwIfAborted();
    const { method, url, headers, body } = await sign();
    const {
      status,
      headers: answered,
      body: bytes,
    } = await network.request({
      method,
      url,
      headers,
      ...(body !== undefined && { body }),
      timeoutMs,
      bodyBytesMax,
      whenLonger: "refuse",
      redirectsMax: 0,
      ...(trustedOrigin !== undefined && { trustedOrigin }),
      signal,
    });
    const answer = { status, headers: answered, text: new TextDecoder().decode(bytes) };
    const isBusy = status === 429 || (isRead && status >= 500 && status !== 501);
    if (!isBusy || attempt === attemptsMax) return answer;
    const retrySeconds = retryAfterSeconds(answered);
    if (retrySeconds !== undefined && retrySeconds * 1000 > waitMsMax) return answer;
    const waitMs =
      retrySeconds === undefined ? withJitter(delaysMs[attempt - 1] ?? 0, random) : retrySeconds * 1000;
    await sleep(clock, waitMs, signal);
  }
}

/** Seconds of a `Retry-After` header. */
export function retryAfterSeconds(headers: Headers): number | undefined {
  const text = headers.get("retry-after");
  return text !== null && /^\d{1,6}$/.test(text) ? Number(text) : undefined;
}

const pagesMax = 1_000;

/** Tokens of the pages of one listing. A listing ends, whatever tokens its server returns. */
export class PageTokens {
  readonly #seen = new Set<string>();

  /** Returns the token of the next page; undefined after the last one and for a repeated token. Throws AppError after 1,000 pages. */
  next(token: unknown, action: string): string | undefined {
    if (typeof token !== "string" || token === "" || this.#seen.has(token)) return undefined;
    if (this.#seen.size === pagesMax)
      throw new AppError(
        "upstream_failed",
        "account_failed",
        `The cloud answered ${action} with over ${pagesMax} pages.`,
      );
    this.#seen.add(token);
    return token;
  }
}

/** A refusal in the cloud's own words. */
export interface CloudRefusal {
  /** `Google Cloud`. */
  cloud: string;
  /** The action and its object: `create help-desk`. */
  action: string;
  /** HTTP status, or the status equivalent to the cloud's error code. */
  status: number;
  /** The cloud's code: `INVALID_ARGUMENT`, `ValidationException`. */
  code: string;
  message: string;
  retryAfterSeconds?: number | undefined;
}

const longestMessage = 600;

/** Returns the AppError for a cloud's refusal. The message keeps the cloud's words, without secrets. */
export function refusalError({
  cloud,
  action,
  status,
  code,
  message,
  retryAfterSeconds,
}: CloudRefusal): AppError {
  const words = cutText(redactText(message), longestMessage);
  const text = `${cloud} refused to ${action}: ${[status, code].filter(Boolean).join(" ")}${words === "" ? "." : `: ${words}`}`;
  if (status === 429) {
    const hint = "Wait and try again, or ask the cloud for a higher quota.";
    return new AppError("rate_limited", "account_quota_exhausted", text, {
      details: { hint, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) },
    });
  }
  if (status === 409) {
    const hint =
      "Another caller created or is changing a resource of this name. Look at it in the cloud's console.";
    return new AppError("conflict", "account_conflict", text, { details: { hint } });
  }
  if (status === 401 || status === 403) {
    const hint = "Check the account's credentials and their permissions.";
    return new AppError("upstream_failed", "account_access_denied", text, { details: { hint } });
  }
  if (status === 503) {
    const hint = "The cloud is unavailable. Wait and try again: what was done stays.";
    return new AppError("unavailable", "account_unavailable", text, {
      details: { hint, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) },
    });
  }
  return new AppError("upstream_failed", "account_failed", text);
}

/** Error for a resource that no longer has the marks of its spec. It is not touched. */
export const notOurs = (cloud: string, id: string, spec: string): AppError =>
  new AppError(
    "conflict",
    "account_conflict",
    `${cloud} resource ${id} isn't marked as ${spec}'s any more, so it wasn't touched.`,
    { details: { hint: "Restore its labels or tags, or delete it by hand." } },
  );

/** Error for a change that the cloud allows only by making the resource anew. */
export const unchangeable = (name: string, fields: readonly string[]): AppError =>
  new AppError(
    "conflict",
    "resource_unchangeable",
    `The cloud can't change ${fields.join(", ")} of ${name} after its creation.`,
    { details: { hint: "Destroy the manifest's resources with what they hold, and apply again." } },
  );

const pollDelaysMs = [1_000, 1_500, 2_500, 4_000, 6_500, 10_000, 15_000];
const pollMsMax = 30 * 60_000;

/** Calls `look` until it returns a value, with growing waits. Throws `account_operation_running` (504) after 30 minutes. */
export async function pollUntil<T>(
  clock: Clock,
  signal: AbortSignal,
  what: string,
  look: () => Promise<T | undefined>,
): Promise<T> {
  const startMs = clock.monotonicMs();
  for (let turn = 0; ; turn++) {
    signal.throwIfAborted();
    const state = await look();
    if (state !== undefined) return state;
    if (clock.monotonicMs() - startMs > pollMsMax) {
      throw new AppError(
        "upstream_timed_out",
        "account_operation_running",
        `${what} takes longer than 30 minutes.`,
        {
          details: { hint: "Try again later: it goes on waiting for the same operation." },
        },
      );
    }
    await sleep(clock, pollDelaysMs[Math.min(turn, pollDelaysMs.length - 1)] ?? 0, signal);
  }
}
