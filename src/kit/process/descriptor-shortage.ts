import { closeSync, openSync } from "node:fs";
import { AppError } from "../app-error.ts";
import type { Clock } from "../clock.ts";

/** System error codes for a process, or a machine, that has reached its limit of open files. */
const shortageCode = /^(EMFILE|ENFILE|SystemFdQuotaExceeded|ProcessFdQuotaExceeded)$/;
/** Error codes that hide a shortage: the library reports only that it could not open something. */
const maskedCode =
  /^(ECONNREFUSED|ConnectionRefused|FailedToOpenSocket|ENOTFOUND|EAI_AGAIN|DNS_E\w+|SQLITE_CANTOPEN(_\w+)?|ERR_POSTGRES_CONNECTION_\w+|ERR_REDIS_CONNECTION_CLOSED)$/;
/** Limit for the chain of causes; longer chains are loops. */
const causesMax = 8;

/**
 * Returns the AppError `out_of_file_descriptors` if `thrown` comes from a shortage of file descriptors, otherwise undefined. Libraries
 * report a shortage as a refused connection or an unknown name. If in doubt, the function tests by opening one more file.
 */
export function descriptorShortage(
  thrown: unknown,
  canOpen: () => boolean = canOpenAnotherFile,
): AppError | undefined {
  let fault = thrown;
  for (let depth = 0; depth < causesMax && typeof fault === "object" && fault !== null; depth++) {
    if (fault instanceof AppError && fault.code === outOfDescriptors) return fault;
    const { code, cause } = fault as { code?: unknown; cause?: unknown };
    const errorCode = String(code ?? "");
    if (shortageCode.test(errorCode) || (maskedCode.test(errorCode) && !canOpen())) return shortage(thrown);
    fault = cause;
  }
  return undefined;
}

const outOfDescriptors = "out_of_file_descriptors";

const shortage = (cause: unknown): AppError =>
  new AppError(
    "unavailable",
    outOfDescriptors,
    "Argosy has reached its limit of open files and connections, so nothing more can be opened at the moment.",
    {
      cause,
      details: {
        hint: "Try again. The operator can raise the limit: `ulimit -n 65536` before the start, or LimitNOFILE=65536 for systemd.",
        retryAfterSeconds: 1,
      },
    },
  );

/** How long the result of a look holds. */
const lookMs = 20;

/** Tells whether this process can open another file, at most 20 ms late: a look takes as long as the rest of a small request. */
export class DescriptorWatch {
  readonly #clock: Pick<Clock, "monotonicMs">;
  readonly #canOpen: () => boolean;
  #lookedMs = Number.NEGATIVE_INFINITY;
  #isShort = false;

  constructor(clock: Pick<Clock, "monotonicMs">, canOpen: () => boolean = canOpenAnotherFile) {
    this.#clock = clock;
    this.#canOpen = canOpen;
  }

  get isShort(): boolean {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs - this.#lookedMs >= lookMs) {
      this.#lookedMs = nowMs;
      this.#isShort = !this.#canOpen();
    }
    return this.#isShort;
  }
}

/** Returns true if this process can open one more file now. */
export function canOpenAnotherFile(): boolean {
  try {
    closeSync(openSync("/dev/null", "r"));
    return true;
  } catch (thrown) {
    return !shortageCode.test(String((thrown as { code?: unknown }).code ?? ""));
  }
}
