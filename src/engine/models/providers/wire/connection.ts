import { AppError } from "../../../../kit/app-error.ts";
import { countSteps, inPieces, isOthersTurn, othersTurn } from "../../../../kit/concurrency/others-turn.ts";
import { readBounded, readShortText } from "../../../../kit/fetch/bounded-body.ts";
import { readPlainJson } from "../../../../kit/json/plain-json.ts";
import { descriptorShortage } from "../../../../kit/process/descriptor-shortage.ts";
import type { FailureSign } from "../../judge-call.ts";
import { ModelFailure } from "../../model-failure.ts";
import type { ProviderPorts } from "../provider-kind.ts";
import { type ProviderAddress, routeOf } from "./address.ts";
import { failureOfStatus, type Subject } from "./failure.ts";
import type { IdleWatch } from "./idle-watch.ts";

const answerBytesMax = 16 * 1024 * 1024;
const errorBytesMax = 64 * 1024;
/** Real answers have a few thousand; each costs a hundred times a byte. */
const valuesMax = 200_000;
/** Decoding a byte, and collecting it, takes about a nanosecond. */
const bytesPerStep = 8;

/** Calls one server over HTTP and interprets its errors. */
export interface ProviderClient {
  /** Returns a 2xx response. Redirects are not followed, because they could send the key elsewhere. */
  send(route: string, init: RequestInit, watch: IdleWatch): Promise<Response>;
  /** The body of a response, at most 16 MiB. */
  readWhole(response: Response): Promise<string>;
  /** The value of a long JSON text from the server; undefined if it is none. Throws ModelFailure if it has too many values. */
  parseLong(json: string, signal: AbortSignal): Promise<unknown>;
  /**
   * Converts an error thrown during a call; `began`: a 2xx response has begun. Returns a `ModelFailure`, unless this process is at fault,
   * which says nothing about the provider.
   */
  asFailure(thrown: unknown, watch: IdleWatch, began: boolean): AppError;
  tooLong(): ModelFailure;
  webPage(): ModelFailure;
  cutOff(cause?: unknown): ModelFailure;
}

export function createProviderClient(
  subject: Subject,
  address: ProviderAddress,
  ports: ProviderPorts,
): ProviderClient {
  let known = { route: "", url: "" };
  const urlOf = (route: string): string => {
    if (known.route !== route) known = { route, url: routeOf(address.base, route) };
    return known.url;
  };
  const headers = { "content-type": "application/json", ...address.headers };

  const tooLong = () =>
    new ModelFailure("unusable", `${subject.name} answered with more than 16 MiB.`, {
      sign: { sign: "overlong" },
    });
  const tooMany = () =>
    new ModelFailure("unusable", `${subject.name} answered with more than ${valuesMax} JSON values.`, {
      sign: { sign: "overlong" },
    });
  const cutOff = (cause?: unknown) =>
    new ModelFailure("unusable", `${subject.name} broke off in the middle of its answer.`, {
      cause,
      sign: { sign: "dropped" },
    });

  return {
    tooLong,
    cutOff,
    webPage: () =>
      new ModelFailure("unusable", `${subject.name} answered with a web page.`, {
        sign: { sign: "garbled" },
      }),
    async send(route, init, watch) {
      const response = await ports.fetch(urlOf(route), {
        ...init,
        headers,
        redirect: "manual",
        signal: watch.signal,
      });
      if (response.ok) return response;
      const body = await readText(response, errorBytesMax);
      throw failureOfStatus(subject, response, body ?? "", ports.clock);
    },
    async readWhole(response) {
      const text = await readText(response, answerBytesMax);
      if (text === undefined) throw tooLong();
      return text;
    },
    parseLong: async (json, signal) =>
      inPieces(readPlainJson(json, { values: { max: valuesMax, tooMany } }), signal),
    asFailure(thrown, watch, began) {
      if (thrown instanceof ModelFailure) return thrown;
      const shortage = descriptorShortage(thrown);
      if (shortage !== undefined) return shortage;
      if (watch.timedOut) {
        const { timeoutMs: forMs, limitBy } = address;
        const silence = `${subject.name} was silent for ${Math.round(forMs / 1000)} s.`;
        const sign: FailureSign = { sign: "silence", forMs, limitBy };
        return new ModelFailure("unreachable", silence, { cause: thrown, sign });
      }
      if (thrown instanceof AppError) {
        const failure = began ? "unusable" : "auth";
        return new ModelFailure(failure, `${subject.name}: ${thrown.message}`, { cause: thrown });
      }
      if (began) return cutOff(thrown);
      const reason = reasonOf(thrown);
      return new ModelFailure("unreachable", `${subject.name} could not be reached${reason}.`, {
        cause: thrown,
        sign: { sign: reason === wasClosed ? "dropped" : "no_connection" },
        hint: "Check that its server runs and that the endpoint is right.",
      });
    },
  };
}

const utf8 = new TextDecoder();

/** Shorter bodies are decoded at once. */
const longBytes = 64 * 1024;

/** Returns the body, or undefined if it is too long. */
function readText(response: Response, bytesMax: number): Promise<string | undefined> {
  return readShortText(response, bytesMax) ?? readLongText(response, bytesMax);
}

async function readLongText(response: Response, bytesMax: number): Promise<string | undefined> {
  try {
    const bytes = await readBounded(response, bytesMax);
    if (bytes.length > longBytes) {
      if (isOthersTurn()) await othersTurn();
      countSteps(bytes.length / bytesPerStep);
    }
    return utf8.decode(bytes);
  } catch (thrown) {
    if (thrown instanceof AppError && thrown.kind === "too_large") return undefined;
    throw thrown;
  }
}

const wasClosed = " (it closed the connection)";

/** A short reason why no connection was made, from the error's code; its message may contain the address. */
function reasonOf(thrown: unknown): string {
  const code = thrown instanceof Error ? String(Reflect.get(thrown, "code") ?? "") : "";
  if (/refused/i.test(code)) return " (connection refused)";
  if (/notfound|eai_again|dns|resolve/i.test(code)) return " (its name is not known)";
  if (/cert|tls|ssl|proto|verify|self_signed/i.test(code)) return " (no trusted TLS connection)";
  if (/reset|closed/i.test(code)) return wasClosed;
  return "";
}
