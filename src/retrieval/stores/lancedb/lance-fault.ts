import { AppError } from "../../../kit/app-error.ts";
import { vectorsUnavailable } from "./native/lance-addon-error.ts";

const faults: readonly [said: RegExp, message: string, hint: string][] = [
  [
    /no space left|os error 28\b|quota exceeded|os error 122\b/i,
    "The disk of the vectors is full.",
    "Free some space; what was being written is written by the next try.",
  ],
  [
    /read-only file system|os error 30\b|permission denied|os error 13\b|accessdenied|os error 1\b/i,
    "The place of the vectors can't be written to or read.",
    "Give this process the right to, or name another place with spec.vectors in runtime.yaml.",
  ],
  [
    /too many open files|os error 24\b/i,
    "The system lets this process open no more files.",
    "Raise the limit of open files (ulimit -n) and try again.",
  ],
  [
    /lanceerror\(io\)|generic \S+ error|object ?store|os error \d|not found|connection|timed? ?out|dns/i,
    "The vectors can't be reached.",
    "argosy doctor says more; what was being written is written by the next try.",
  ],
];

/** Converts LanceDB's errors about the store itself to AppError `vectors_unavailable`; returns other errors unchanged. */
export function lanceFault(thrown: unknown): unknown {
  if (thrown instanceof AppError || !(thrown instanceof Error)) return thrown;
  const found = faults.find(([said]) => said.test(thrown.message));
  return found === undefined ? thrown : vectorsUnavailable(found[1], found[2], thrown);
}

/** Returns true if the error means that the table does not exist. */
export const isMissingTable = (thrown: unknown) =>
  thrown instanceof Error && /^Table '[^']*' was not found/.test(thrown.message);

/** Returns true if the error means that the table already exists. */
export const isPresentTable = (thrown: unknown) =>
  thrown instanceof Error && /^Table '[^']*' already exists/.test(thrown.message);

/** Returns true if the error means that a concurrent change won, so that this one may be tried again. */
export const isConflict = (thrown: unknown) =>
  thrown instanceof Error && /conflict|concurrent/i.test(thrown.message);
