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
 * A failed model call, in the only distinction that routing needs; `judgeCall` decides what it says about the provider.
 * - `unreachable`: no answer, refused, time-out, 5xx, 429: another candidate may do better
 * - `unusable`: it answered with something that is no answer (garbage, cut mid-stream, empty): the same
 * - `auth`: our key or address is wrong: another candidate may do better
 * - `unsuited`: the server lacks this model, or the model can't use tools: another candidate may do better
 * - `context_length`, `content_refused`, `caller`: the request is at fault: no other candidate except for `context_length`
 *
 * `message` names provider and model and is safe to show; keys and bodies stay in `cause`.
 */
export class ModelFailure extends AppError {
  readonly failure: ModelFailureClass;
  /** Seconds the provider asked us to wait (429, 503). */
  readonly retryAfterSeconds: number | undefined;
  /** What the failed call has used nevertheless, where the provider said so. */
  readonly usage: Usage | undefined;
  /** The evidence, where the model gives any. */
  readonly sign: FailureSign | undefined;
  /** Whose server failed when it is not the operator's; see `Model.account`. Set by the router. */
  account: string | undefined;
  /** What the failure says about the provider. Set by the router. */
  ending: CallEnding | undefined;

  constructor(failure: ModelFailureClass, message: string, options?: ModelFailureOptions) {
    const { kind, code } = rendered[failure];
    const details: ErrorDetails = options?.hint === undefined ? {} : { hint: options.hint };
    super(kind, code, message, { details, cause: options?.cause });
    this.failure = failure;
    this.retryAfterSeconds = options?.retryAfterSeconds;
    this.usage = options?.usage;
    this.sign = options?.sign;
  }

  /** Whether the call was sent and given up on after the time limit of its own model block. */
  get gaveUp(): boolean {
    return this.sign?.sign === "silence";
  }

  /** Whether the caller's own request, time limit or server is at fault, and not a provider of the operator's. */
  get isCallersDoing(): boolean {
    if (this.account !== undefined) return true;
    if (this.sign?.sign === "silence") return this.sign.limitBy === "caller";
    // Instructions can bring about an answer without text at will.
    if (this.sign?.sign === "empty") return true;
    // A provider that asks for fewer calls refuses everybody.
    return this.sign?.sign !== "throttled" && this.ending === "released";
  }

  /** Whether another candidate may succeed where this one did not. */
  get worthAnotherCandidate(): boolean {
    return this.failure !== "content_refused" && this.failure !== "caller";
  }
}

interface ModelFailureOptions {
  cause?: unknown;
  retryAfterSeconds?: number;
  hint?: string;
  usage?: Usage | undefined;
  sign?: FailureSign | undefined;
}
