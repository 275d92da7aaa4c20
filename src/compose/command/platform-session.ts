import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { removeFile, replaceFile } from "../../storage/replace-file.ts";
import type { Config } from "../settings/config.ts";

/** Person and platform that the command line is signed in to. */
export interface PlatformSession {
  /** If absent, the platform of this data folder. */
  url?: string;
  email: string;
  accessToken: string;
  refreshToken: string;
}

/** Session of the command line for a data folder, in a file that only this user can read. */
export interface SessionFile {
  find(): PlatformSession | undefined;
  keep(session: PlatformSession): void;
  forget(): void;
}

export function sessionFile({ dataFolder }: Pick<Config, "dataFolder">): SessionFile {
  const path = join(dataFolder, "platform-session.json");
  return {
    find() {
      try {
        const found: unknown = JSON.parse(readFileSync(path, "utf8"));
        return isSession(found) ? found : undefined;
      } catch {
        // Missing or damaged; signing in creates a new one.
        return undefined;
      }
    },
    keep(session) {
      mkdirSync(dataFolder, { recursive: true, mode: 0o700 });
      replaceFile(path, `${JSON.stringify(session, null, 2)}\n`, 0o600);
    },
    forget: () => removeFile(path),
  };
}

function isSession(value: unknown): value is PlatformSession {
  if (typeof value !== "object" || value === null) return false;
  const { email, accessToken, refreshToken } = value as Partial<PlatformSession>;
  return [email, accessToken, refreshToken].every((text) => typeof text === "string");
}
