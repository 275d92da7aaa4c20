import { closeSync, openSync } from "node:fs";
import { AppError } from "./app-error.ts";

/** Codes of the system for: this process (or all processes together) may open no more. */
const shortageCode = /^(EMFILE|ENFILE|SystemFdQuotaExceeded|ProcessFdQuotaExceeded)$/;
/** What a shortage looks like where a library tells only that nothing could be opened. */
const maskedCode =
  /^(ECONNREFUSED|ConnectionRefused|FailedToOpenSocket|ENOTFOUND|EAI_AGAIN|DNS_E\w+|SQLITE_CANTOPEN(_\w+)?|ERR_POSTGRES_CONNECTION_\w+|ERR_REDIS_CONNECTION_CLOSED)$/;
/** An error's cause has a cause; longer chains are loops. */
const causesMax = 8;

/**
 * The AppError `out_of_file_descriptors` when `thrown` comes from a process that may open no more files and connections;
 * otherwise undefined. Libraries tell a shortage as a refused connection or an unknown name, so in doubt one more file is opened.
 */
export function descriptorShortage(
  thrown: unknown,
  canOpen: () => boolean = canOpenAnotherFile,
): AppError | undefined {
  let fault = thrown;
  for (let depth = 0; depth < causesMax && typeof fault === "object" && fault !== null; depth++) {
    if (fault instanceof AppError && fault.code === outOfDescriptors) return fault;
    const { code, cause } = fault as { code?: unknown; cause?: unknown };
    const told = String(code ?? "");
    if (shortageCode.test(told) || (maskedCode.test(told) && !canOpen())) return shortage(thrown);
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

/** Whether this process may open one more file now. */
export function canOpenAnotherFile(): boolean {
  try {
    closeSync(openSync("/dev/null", "r"));
    return true;
  } catch (thrown) {
    return !shortageCode.test(String((thrown as { code?: unknown }).code ?? ""));
  }
}
