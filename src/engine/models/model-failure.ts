import { AppError, type ErrorDetails, type ErrorKind } from "../../kit/app-error.ts";
import type { CallEnding } from "./breakers.ts";
import type { FailureSign, ModelFailureClass } from "./judge-call.ts";
import type { Usage } from "./model.ts";

const rendered: Record<ModelFailureClass, { kind: ErrorKind; code: string }> = {
  unreachable: { kind: "upstream_failed", code: "provider_failed" },
  unusable: { kind: "upstream_failed", code: "provider_failed" },
  auth: { kind: "upstream_failed", code: "provider_failed" },
  unsuited: { kind: "upstream_failed", code: "provider_failed" },
  context_length: { kind: "unprocessable", code: "context_length_exceeded" },
  content_refused: { kind: "unprocessable", code: "content_refused" },
  caller: { kind: "upstream_failed", code: "provider_failed" },
};

/**
 * A failed model call with the class that routing needs. `judgeCall` decides its effect on the provider's breaker. Classes:
 * - `unreachable`: no answer, refused, time-out, 5xx, 429; another candidate may succeed
 * - `unusable`: the answer is unusable (garbage, cut mid-stream, empty); another candidate may succeed
 * - `auth`: our key or address is wrong; another candidate may succeed
 * - `unsuited`: the server lacks this model, or the model can't use tools; another candidate may succeed
 * - `context_length`, `content_refused`, `caller`: the request is at fault; another candidate is tried only for `context_length`
 *
 * `message` names provider and model and is safe to show; keys and bodies stay in `cause`.
 */
export class ModelFailure extends AppError {
  readonly failure: ModelFailureClass;
  /** Seconds to wait according to the provider (429, 503). */
  readonly retryAfterSeconds: number | undefined;
  /** Usage of the failed call, if the provider reported it. */
  readonly usage: Usage | undefined;
  /** Evidence of the failure, if the model gives any. */
  readonly sign: FailureSign | undefined;
  /** Owner of the failed server if it is not the operator; see `Model.account`. Set by the router. */
  account: string | undefined;
  /** Effect of the failure on the provider's breaker. Set by the router. */
  ending: CallEnding | undefined;

  constructor(failure: ModelFailureClass, message: string, options?: ModelFailureOptions) {
    const { kind, code } = rendered[failure];
    const details: ErrorDetails = {
      ...(options?.hint === undefined ? {} : { hint: options.hint }),
      ...(options?.upstreamMessage ? { upstreamMessage: options.upstreamMessage } : {}),
    };
    super(kind, code, message, { details, cause: options?.cause });
    this.failure = failure;
    this.retryAfterSeconds = options?.retryAfterSeconds;
    this.usage = options?.usage;
    this.sign = options?.sign;
  }

  /** Returns true if the call exceeded the time limit of its model block. */
  get gaveUp(): boolean {
    return this.sign?.sign === "silence";
  }

  /** Returns true if the caller's own request, time limit or server caused the failure, and not a provider of the operator. */
  get isCallersDoing(): boolean {
    if (this.account !== undefined) return true;
    if (this.sign?.sign === "silence") return this.sign.limitBy === "caller";
    // Instructions alone can cause an answer without text.
    if (this.sign?.sign === "empty") return true;
    // A provider that asks for fewer requests refuses every caller.
    return this.sign?.sign !== "throttled" && this.ending === "released";
  }

  /** True if the provider refused the request itself: the same one would fail again. */
  get isRefusal(): boolean {
    if (this.failure === "caller") return true;
    return this.sign?.sign === "status" && (this.sign.status === 400 || this.sign.status === 422);
  }

  /** Returns true if another candidate may succeed. */
  get worthAnotherCandidate(): boolean {
    return this.failure !== "content_refused" && this.failure !== "caller";
  }
}

interface ModelFailureOptions {
  cause?: unknown;
  retryAfterSeconds?: number;
  hint?: string;
  /** The provider's own words, masked. */
  upstreamMessage?: string;
  usage?: Usage | undefined;
  sign?: FailureSign | undefined;
}
