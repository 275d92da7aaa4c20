import { AppError } from "../../../../kit/app-error.ts";
import { readBounded } from "../../../../kit/bounded-body.ts";
import { ModelFailure } from "../../model-failure.ts";
import type { ProviderPorts } from "../provider-ports.ts";
import { type Address, routeOf } from "./address.ts";
import { failureOfStatus, type Subject } from "./failure.ts";
import type { IdleWatch } from "./idle-watch.ts";

const answerBytesMax = 16 * 1024 * 1024;
const errorBytesMax = 64 * 1024;

/** Speaks HTTP with one server, and tells what its errors mean. */
export interface Connection {
  /** A 2xx response. Redirects are not followed: they could carry the key elsewhere. */
  send(init: RequestInit, watch: IdleWatch): Promise<Response>;
  /** The body of a response, at most 16 MiB. */
  readWhole(response: Response): Promise<string>;
  /** What something thrown while calling means; `began` once a 2xx response has begun. */
  asFailure(thrown: unknown, watch: IdleWatch, began: boolean): ModelFailure;
  tooLong(): ModelFailure;
  webPage(): ModelFailure;
  cutOff(cause?: unknown): ModelFailure;
}

export function createConnection(
  subject: Subject,
  address: Address,
  route: string,
  ports: ProviderPorts,
): Connection {
  const url = routeOf(address.base, route);
  const headers = { "content-type": "application/json", ...address.headers };

  const tooLong = () => new ModelFailure("unusable", `${subject.name} answered with more than 16 MiB.`);
  const cutOff = (cause?: unknown) =>
    new ModelFailure("unusable", `${subject.name} broke off in the middle of its answer.`, { cause });

  return {
    tooLong,
    cutOff,
    webPage: () => new ModelFailure("unusable", `${subject.name} answered with a web page.`),
    async send(init, watch) {
      const response = await ports.fetch(url, { ...init, headers, redirect: "manual", signal: watch.signal });
      if (response.ok) return response;
      const body = await readText(response, errorBytesMax);
      throw failureOfStatus(subject, response, body ?? "", ports.clock);
    },
    async readWhole(response) {
      const text = await readText(response, answerBytesMax);
      if (text === undefined) throw tooLong();
      return text;
    },
    asFailure(thrown, watch, began) {
      if (thrown instanceof ModelFailure) return thrown;
      if (watch.timedOut) {
        const silence = `${subject.name} was silent for ${Math.round(address.timeoutMs / 1000)} s.`;
        return new ModelFailure("unreachable", silence, { cause: thrown, gaveUp: true });
      }
      if (thrown instanceof AppError) {
        const failure = began ? "unusable" : "auth";
        return new ModelFailure(failure, `${subject.name}: ${thrown.message}`, { cause: thrown });
      }
      if (began) return cutOff(thrown);
      return new ModelFailure("unreachable", `${subject.name} could not be reached${reasonOf(thrown)}.`, {
        cause: thrown,
        hint: "Check that its server runs and that the endpoint is right.",
      });
    },
  };
}

/** The body, or undefined when it is too long. */
async function readText(response: Response, bytesMax: number): Promise<string | undefined> {
  try {
    return new TextDecoder().decode(await readBounded(response, bytesMax));
  } catch (thrown) {
    if (thrown instanceof AppError && thrown.kind === "too_large") return undefined;
    throw thrown;
  }
}

/** A few words on why no connection came about, from the error's code; its message may hold the address. */
function reasonOf(thrown: unknown): string {
  const code = thrown instanceof Error ? String(Reflect.get(thrown, "code") ?? "") : "";
  if (/refused/i.test(code)) return " (connection refused)";
  if (/notfound|eai_again|dns|resolve/i.test(code)) return " (its name is not known)";
  if (/cert|tls|ssl|proto|verify|self_signed/i.test(code)) return " (no trusted TLS connection)";
  if (/reset|closed/i.test(code)) return " (it closed the connection)";
  return "";
}
