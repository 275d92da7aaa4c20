import { AppError, type ErrorDetails, type ErrorKind } from "../../kit/app-error.ts";
import type { Usage } from "./model.ts";

/**
 * What went wrong with a model call, in the only distinction the router needs:
 * - `unreachable`: no answer, refused, time-out, 5xx, 429: another candidate may do better; counts against the breaker
 * - `unusable`: it answered with something that is no answer (garbage, cut mid-stream, empty): the same
 * - `auth`: our key or address is wrong: another candidate may do better; counts against the breaker
 * - `unsuited`: the server lacks this model, or the model can't use tools: another candidate may do better, but the provider
 *   is well and other agents' calls to it go on
 * - `context_length`, `content_refused`, `caller`: the request is at fault: no breaker, no other candidate except for `context_length`
 */
export type ModelFailureClass =
  | "unreachable"
  | "unusable"
  | "auth"
  | "unsuited"
  | "context_length"
  | "content_refused"
  | "caller";

const rendered: Record<ModelFailureClass, { kind: ErrorKind; code: string }> = {
  unreachable: { kind: "upstream_failed", code: "provider_failed" },
  unusable: { kind: "upstream_failed", code: "provider_failed" },
  auth: { kind: "upstream_failed", code: "provider_failed" },
  unsuited: { kind: "upstream_failed", code: "provider_failed" },
  context_length: { kind: "unprocessable", code: "context_length_exceeded" },
  content_refused: { kind: "unprocessable", code: "content_refused" },
  caller: { kind: "upstream_failed", code: "provider_failed" },
};

/** A failed model call. `message` names provider and model and is safe to show; keys and bodies stay in `cause`. */
export class ModelFailure extends AppError {
  readonly failure: ModelFailureClass;
  /** Seconds the provider asked us to wait (429, 503). */
  readonly retryAfterSeconds: number | undefined;
  /** What the failed call has used nevertheless, where the provider said so. */
  readonly usage: Usage | undefined;
  /** Whether the call was sent and given up on after the time limit of its own model block. */
  readonly gaveUp: boolean;
  /** Whose server failed when it is not the operator's; see `Model.account`. Set by the router. */
  account: string | undefined;

  constructor(
    failure: ModelFailureClass,
    message: string,
    options?: {
      cause?: unknown;
      retryAfterSeconds?: number;
      hint?: string;
      usage?: Usage | undefined;
      gaveUp?: boolean;
    },
  ) {
    const { kind, code } = rendered[failure];
    const details: ErrorDetails = options?.hint === undefined ? {} : { hint: options.hint };
    super(kind, code, message, { details, cause: options?.cause });
    this.failure = failure;
    this.retryAfterSeconds = options?.retryAfterSeconds;
    this.usage = options?.usage;
    this.gaveUp = options?.gaveUp === true;
  }

  /** Whether the caller's own request, time limit or server is at fault, and not a provider of the operator's. */
  get isCallersDoing(): boolean {
    return this.gaveUp || this.account !== undefined || !this.countsAgainstProvider;
  }

  /** Whether the failure says something about the provider's health. */
  get countsAgainstProvider(): boolean {
    return this.failure === "unreachable" || this.failure === "unusable" || this.failure === "auth";
  }

  /** Whether another candidate may succeed where this one did not. */
  get worthAnotherCandidate(): boolean {
    return this.countsAgainstProvider || this.failure === "unsuited" || this.failure === "context_length";
  }
}
