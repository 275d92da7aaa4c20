import { AppError } from "../../kit/app-error.ts";

/** The called vendor, for messages and codes; never an address or a key. */
export interface VendorSubject {
  /** `openai/text-embedding-3-small`. */
  name: string;
  /** Prefix of its error codes: `embedder_failed`, `reranker_unavailable`. */
  role: "embedder" | "reranker";
  /** How an operator can add a model that the server lacks. */
  missingModelHint: string;
}

/** A failed call; `mayPass`: another attempt may succeed. */
export class VendorFailure extends AppError {
  readonly mayPass: boolean;
  /** True if the vendor seems to be down, rather than busy or answering with an error. */
  readonly isDown: boolean;
  /** Wait that the vendor requested, in milliseconds. */
  readonly waitMs: number | undefined;

  constructor(
    subject: VendorSubject,
    isUnavailable: boolean,
    what: string,
    options: {
      hint?: string;
      cause?: unknown;
      mayPass?: boolean;
      isDown?: boolean;
      waitMs?: number | undefined;
    } = {},
  ) {
    const { hint, cause, mayPass = false, isDown = false, waitMs } = options;
    super(
      isUnavailable ? "unavailable" : "upstream_failed",
      `${subject.role}_${isUnavailable ? "unavailable" : "failed"}`,
      `The ${subject.role} ${subject.name} ${what}.`,
      {
        cause,
        details: {
          ...(hint !== undefined && { hint }),
          ...(isUnavailable && waitMs !== undefined && { retryAfterSeconds: Math.ceil(waitMs / 1000) }),
        },
      },
    );
    this.mayPass = mayPass;
    this.isDown = isDown;
    this.waitMs = waitMs;
  }
}

/** Failure for an unusable answer; `what` describes it. */
export function unusable(subject: VendorSubject, what: string, hint?: string): VendorFailure {
  return new VendorFailure(subject, false, what, hint === undefined ? {} : { hint });
}

/*
 * Error texts by vendor. Too long: "maximum context length": OpenAI, vLLM; "input length exceeds", "exceeds the context length": Ollama;
 * "`inputs` must have less than": text-embeddings-inference; "too many tokens", "too large": Cohere, Mistral, llama.cpp.
 */
const tooLong =
  /context[_ ](?:length|window|size)|input length|maximum (?:model |input )?length|max_model_len|`?inputs`? must have|too many tokens|too (?:long|large)|max(?:imum)? (?:number of )?tokens/i;
const missingModel =
  /model_not_found|\bmodel\b.{0,200}(?:not found|does not exist|not exist|not available|try pulling)|no such model/i;
const dimensions = /\bdimensions?\b/i;
const noCredit = /insufficient_quota|billing|credit balance/i;

/** Failure for a status other than 2xx. The body stays in the cause, because it may contain sent data. */
export function failureOfStatus(
  subject: VendorSubject,
  status: number,
  body: string,
  waitMs: number | undefined,
): VendorFailure {
  const cause = new Error(body.slice(0, 2000));
  const failed = (what: string, hint?: string) =>
    new VendorFailure(subject, false, what, { cause, ...(hint !== undefined && { hint }) });
  if (noCredit.test(body) && status < 500)
    return failed(`answered ${status}: the account has no credit left`);
  if (status === 429 || status === 408 || status === 425 || status >= 500) {
    const isBusy = status === 429;
    const what = isBusy ? "is asked too often (429)" : `answered ${status}`;
    return new VendorFailure(subject, true, what, { cause, mayPass: true, isDown: !isBusy, waitMs });
  }
  if (status === 401 || status === 403) {
    return failed(
      `answered ${status}: the key is not accepted`,
      "Check the key's variable (api_key_env) and the endpoint.",
    );
  }
  if (missingModel.test(body))
    return failed(`answered ${status}: it has no such model`, subject.missingModelHint);
  if (status === 413 || tooLong.test(body)) {
    return failed(
      `answered ${status}: a text is longer than the model can read`,
      "Use a smaller chunk_size, or a model that reads longer texts.",
    );
  }
  if (dimensions.test(body)) {
    return failed(
      `answered ${status}: it does not accept the dimension`,
      "Leave dimension out, or name one that the model has.",
    );
  }
  if (status < 400)
    return failed(`answered ${status}: the address leads elsewhere`, "Write the endpoint as it is now.");
  if (status === 404 || status === 405) {
    return failed(`answered ${status}: this address has no such API`, "Check the endpoint.");
  }
  return failed(`answered ${status}: it does not accept this request`);
}

/** Failure without an answer. */
export function unreachable(subject: VendorSubject, thrown: unknown): VendorFailure {
  return new VendorFailure(subject, true, `could not be reached${reasonOf(thrown)}`, {
    cause: thrown,
    mayPass: true,
    isDown: true,
    hint: "Check that its server runs and that the endpoint is right.",
  });
}

/** A short reason why no connection was made, from the error's code; its message may contain the address. */
function reasonOf(thrown: unknown): string {
  const code = thrown instanceof Error ? String(Reflect.get(thrown, "code") ?? "") : "";
  if (/refused/i.test(code)) return " (connection refused)";
  if (/notfound|eai_again|dns|resolve/i.test(code)) return " (its name is not known)";
  if (/cert|tls|ssl|proto|verify|self_signed/i.test(code)) return " (no trusted TLS connection)";
  if (/reset|closed/i.test(code)) return " (it closed the connection)";
  return "";
}
