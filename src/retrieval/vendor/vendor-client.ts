import { AppError } from "../../kit/app-error.ts";
import { sleep } from "../../kit/clock.ts";
import { inPieces } from "../../kit/concurrency/others-turn.ts";
import { untilAborted } from "../../kit/concurrency/until-aborted.ts";
import { startDeadline } from "../../kit/deadline.ts";
import { readBounded } from "../../kit/fetch/bounded-body.ts";
import { readPlainJson } from "../../kit/json/plain-json.ts";
import { descriptorShortage } from "../../kit/process/descriptor-shortage.ts";
import { retryDelayMs, withJitter } from "../../kit/retry.ts";
import type { RetrievalPorts } from "../retrieval-ports.ts";
import { afterCall, closedForMs, openCircuit } from "./circuit.ts";
import { routeAt, type VendorAddress } from "./locate-vendor.ts";
import { exhaustedMs, requestedWaitMs } from "./retry-after.ts";
import {
  failureOfStatus,
  unreachable,
  unusable,
  VendorFailure,
  type VendorSubject,
} from "./vendor-failure.ts";

const answerBytesMax = 64 * 1024 * 1024;
/** Vectors of a hundred texts have 3 MiB: in one piece they take 10 ms, and the most hostile JSON of this length 40. */
const wholeCharsMax = 4 * 1024 * 1024;
const errorBytesMax = 64 * 1024;

/** Limits on retries and waiting. */
export interface RetryLimits {
  attempts: number;
  delaysMs: readonly number[];
  /** If the vendor requests a longer wait, the call fails. */
  waitMsMax: number;
  /** Time limit of a single attempt. */
  attemptMs: number;
}

/** For calls whose result a user is waiting for. */
export const soon: RetryLimits = { attempts: 2, delaysMs: [250], waitMsMax: 1000, attemptMs: 30_000 };

/** For long background work. */
export const patient: RetryLimits = {
  attempts: 6,
  delaysMs: [500, 1000, 2000, 4000, 8000],
  waitMsMax: 60_000,
  attemptMs: 120_000,
};

/** Calls to one vendor. They share its rate limits and pause while it is down. */
export interface VendorClient {
  readonly subject: VendorSubject;
  /** Returns the JSON of its answer. Throws VendorFailure, or the signal's reason. */
  post(route: string, body: unknown, patience: RetryLimits, signal: AbortSignal): Promise<unknown>;
  /** Checks with `GET`, without cost, that the server answers and accepts the key. Throws as `post`. */
  probe(route: string, signal: AbortSignal): Promise<void>;
}

export type VendorPorts = Pick<RetrievalPorts, "fetch" | "clock" | "random" | "log">;

/** Creates a client of the vendor at that address. */
export function createVendorClient(
  subject: VendorSubject,
  { base, headers }: VendorAddress,
  ports: VendorPorts,
): VendorClient {
  const { clock, random, log } = ports;
  let circuit = openCircuit;
  let pausedUntilMs = 0;

  function pause(ms: number | undefined): void {
    if (ms !== undefined) pausedUntilMs = Math.max(pausedUntilMs, clock.monotonicMs() + ms);
  }

  async function attempt(url: string, body: string, ms: number, signal: AbortSignal): Promise<unknown> {
    const silent = () =>
      new VendorFailure(subject, true, `did not answer within ${Math.round(ms / 1000)} s`, {
        mayPass: true,
        isDown: true,
      });
    const deadline = startDeadline(clock, ms, silent, [signal]);
    try {
      const response = await send(url, { method: "POST", body }, deadline.signal);
      const text = await textOf(response, deadline.signal);
      if (!response.ok) {
        throw failureOfStatus(subject, response.status, text, requestedWaitMs(response.headers, clock));
      }
      pause(exhaustedMs(response.headers));
      return await parse(text);
    } finally {
      deadline.dispose();
    }
  }

  async function send(url: string, request: RequestInit, signal: AbortSignal): Promise<Response> {
    const init: RequestInit = {
      ...request,
      headers: { "content-type": "application/json", accept: "application/json", ...headers },
      signal,
      // A followed redirect could send the key elsewhere.
      redirect: "manual",
    };
    try {
      return await untilAborted(signal, () => ports.fetch(url, init));
    } catch (thrown) {
      signal.throwIfAborted();
      if (thrown instanceof AppError)
        throw unusable(subject, `can't be called: ${thrown.message.replace(/\.$/, "")}`);
      throw descriptorShortage(thrown) ?? unreachable(subject, thrown);
    }
  }

  async function textOf(response: Response, signal: AbortSignal): Promise<string> {
    try {
      const bytes = await readBounded(response, response.ok ? answerBytesMax : errorBytesMax, signal);
      return new TextDecoder().decode(bytes);
    } catch (thrown) {
      signal.throwIfAborted();
      if (!response.ok) return "";
      if (thrown instanceof AppError) throw unusable(subject, "answered with more than 64 MiB");
      throw new VendorFailure(subject, false, "broke off in the middle of its answer", {
        cause: thrown,
        mayPass: true,
      });
    }
  }

  async function parse(text: string): Promise<unknown> {
    const value = await inPieces(readPlainJson(text, { wholeCharsMax }));
    if (value !== undefined) return value;
    const isPage = /^\s*</.test(text);
    const hint = "Check that the endpoint is the address of the API.";
    if (isPage) throw unusable(subject, "answered with a web page", hint);
    // A body without a length that breaks off looks like a short one.
    throw new VendorFailure(subject, false, "answered with no whole JSON", { mayPass: true });
  }

  /** Waits for the time the vendor requested; throws if that is longer than `waitMsMax`. */
  async function waitForTurn({ waitMsMax }: RetryLimits, signal: AbortSignal): Promise<void> {
    for (;;) {
      const waitMs = pausedUntilMs - clock.monotonicMs();
      if (waitMs <= 0) return;
      if (waitMs > waitMsMax) throw new VendorFailure(subject, true, "is asked too often", { waitMs });
      await sleep(clock, waitMs, signal);
    }
  }

  async function persist(
    url: string,
    body: string,
    patience: RetryLimits,
    signal: AbortSignal,
  ): Promise<unknown> {
    for (let number = 1; ; number++) {
      await waitForTurn(patience, signal);
      try {
        return await attempt(url, body, patience.attemptMs, signal);
      } catch (thrown) {
        signal.throwIfAborted();
        if (!(thrown instanceof VendorFailure)) throw thrown;
        pause(thrown.waitMs);
        const mayPass = thrown.mayPass && (thrown.waitMs ?? 0) <= patience.waitMsMax;
        if (number >= patience.attempts || !mayPass) throw thrown;
        log.warn("vendor.retried", { vendor: subject.name, attempt: number, code: thrown.code });
      }
      await sleep(clock, withJitter(retryDelayMs(patience.delaysMs, number), random), signal);
    }
  }

  return {
    subject,
    async probe(route, signal) {
      signal.throwIfAborted();
      const response = await send(routeAt(base, route), { method: "GET" }, signal);
      void response.body?.cancel().catch(() => undefined);
      const { status } = response;
      // A route that accepts only POST answers with one of many statuses; all of them come from a working server.
      const isRefused = [401, 402, 403, 407, 408].includes(status) || (status >= 300 && status < 400);
      if (isRefused || (status >= 500 && status !== 501)) {
        throw failureOfStatus(subject, status, "", undefined);
      }
    },
    async post(route, body, patience, signal) {
      signal.throwIfAborted();
      const closedMs = closedForMs(circuit, clock.monotonicMs());
      if (closedMs > 0) {
        throw new VendorFailure(subject, true, "was unavailable just now, so calls are paused for a while", {
          waitMs: closedMs,
        });
      }
      try {
        const answer = await persist(routeAt(base, route), JSON.stringify(body), patience, signal);
        circuit = afterCall(circuit, true, clock.monotonicMs());
        return answer;
      } catch (thrown) {
        if (!signal.aborted) {
          const isDown = thrown instanceof VendorFailure && thrown.isDown;
          circuit = afterCall(circuit, !isDown, clock.monotonicMs());
        }
        throw thrown;
      }
    },
  };
}
