import { AppError, toAppError } from "../kit/app-error.ts";
import { unusableDataFolder } from "../storage/data-folder.ts";
import type { Config } from "./settings/config.ts";

/**
 * Explains why the services could not be assembled. The message helps at the start, for example by naming a full disk or an unreachable
 * database server.
 */
export function startFault(thrown: unknown, { dataFolder, databaseUrl }: Config): AppError {
  const error = toAppError(thrown);
  const { cause } = error;
  if (cause instanceof Error && "code" in cause && cause.code === "ENOSPC")
    return unusableDataFolder(dataFolder, cause);
  if (error.code !== "storage_unavailable") return error;
  if (databaseUrl === undefined) return unusableDataFolder(dataFolder, cause);
  return new AppError(
    "unavailable",
    "storage_unavailable",
    `The database server at ${new URL(databaseUrl).host} can't be reached.`,
    { cause, details: { hint: "Start it, or correct the address in DATABASE_URL." } },
  );
}
