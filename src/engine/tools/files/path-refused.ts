import { AppError } from "../../../kit/app-error.ts";

/** Error for a path that a tool may not or can't use; the message tells the model what to do instead. */
export function pathRefused(message: string, cause?: unknown): AppError {
  return new AppError("forbidden", "path_refused", message, cause === undefined ? {} : { cause });
}

const reasons: Record<string, string> = {
  ENOENT: "There is nothing at this path; check its spelling.",
  ENOTDIR: "A part of this path is a file, not a folder.",
  EISDIR: "This path is a folder; name a file.",
  ENAMETOOLONG: "A name in this path is too long; shorten it.",
  ELOOP: "This path goes through a link that leads nowhere.",
  EACCES: "The server may not access this file; use another one.",
  EPERM: "The server may not access this file; use another one.",
  EROFS: "This folder can't be written; use another one.",
  ENOSPC: "The disk is full; nothing was written.",
  EDQUOT: "The disk is full; nothing was written.",
  ENXIO: "This path is no regular file.",
  EMFILE: "Too many files are open; try again.",
  ENFILE: "Too many files are open; try again.",
  EINVAL: "This path can't be used as a file name.",
};

/** Converts a file system error to a message for the model; returns other errors unchanged. */
export function fileFault(thrown: unknown): unknown {
  if (thrown instanceof AppError || !(thrown instanceof Error) || !("code" in thrown)) return thrown;
  const reason = reasons[String(thrown.code)];
  return reason === undefined ? thrown : pathRefused(reason, thrown);
}
