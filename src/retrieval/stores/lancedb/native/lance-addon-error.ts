import { AppError } from "../../../../kit/app-error.ts";

/** `vectors_unavailable` (503) with advice. */
export function vectorsUnavailable(message: string, hint: string, cause?: unknown): AppError {
  return new AppError("unavailable", "vectors_unavailable", message, { details: { hint }, cause });
}

const elsewhere = "or let spec.vectors in runtime.yaml name another store (pgvector, qdrant, chroma)";

/** Error for a failure to unpack LanceDB's addon into `folder`, by the system's error code. */
export function unpackFault(thrown: unknown, folder: string, sizeBytes: number): AppError {
  const code = codeOf(thrown);
  const megabytes = Math.ceil(sizeBytes / 1e6);
  if (code === "ENOSPC" || code === "EDQUOT")
    return vectorsUnavailable(
      `The disk of ${folder} is full; unpacking LanceDB needs ${megabytes} MB there once.`,
      `Free ${megabytes} MB, or move the data folder with ARGOSY_DATA.`,
      thrown,
    );
  if (code === "EROFS" || code === "EACCES" || code === "EPERM" || code === "ENOTDIR" || code === "EEXIST")
    return vectorsUnavailable(
      `LanceDB can't be unpacked: ${folder} can't be written to.`,
      `Make the data folder writable for this user, move it with ARGOSY_DATA, ${elsewhere}.`,
      thrown,
    );
  return vectorsUnavailable(
    `LanceDB can't be unpacked into ${folder}.`,
    "The log has the system's own words; the next use of vectors tries again.",
    thrown,
  );
}

/** Error for a complete addon that the system can't load. */
export function loadFault(thrown: unknown, path: string | undefined): AppError {
  return vectorsUnavailable(
    path === undefined ? "LanceDB's addon can't be loaded." : `${path} can't be loaded by this system.`,
    `Use a system with glibc 2.17 or newer, ${elsewhere}.`,
    thrown,
  );
}

/** Error for an addon on a file system without execute permission. */
export function noexecFault(path: string): AppError {
  return vectorsUnavailable(
    `LanceDB can't be loaded: nothing may be executed in the folder of ${path} (its file system is mounted noexec).`,
    `Move the data folder with ARGOSY_DATA to a file system without noexec, ${elsewhere}.`,
  );
}

/** Error for an executable without the addon. */
export function absentFault(target: string): AppError {
  return vectorsUnavailable(
    `This executable (${target}) was built without LanceDB.`,
    `Let spec.vectors in runtime.yaml name another store (pgvector, qdrant, chroma), or build it where the package of LanceDB's addon for ${target} is installed.`,
  );
}

/** The error code, such as `ENOENT`. */
export function codeOf(thrown: unknown): string | undefined {
  return thrown instanceof Error && "code" in thrown ? String(thrown.code) : undefined;
}
