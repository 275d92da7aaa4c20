import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "../compose/settings/config.ts";
import { systemClock } from "../kit/clock.ts";
import { fileTurn } from "../storage/files/file-turn.ts";
import { removeFile, replaceFile } from "../storage/files/replace-file.ts";

/** Person and service that the command line is signed in to. */
export interface KeptSession {
  /** If absent, the service of this data folder. */
  url?: string;
  /** Org of the cloud that commands act for by default. */
  org?: string;
  email: string;
  accessToken: string;
  refreshToken: string;
}

/** Session of the command line for a data folder, in a file that only this user can read. */
export interface SessionFile {
  find(): KeptSession | undefined;
  keep(session: KeptSession): void;
  forget(): void;
  /** Runs `work` while no other command of this data folder does so. */
  alone<T>(work: () => Promise<T>): Promise<T>;
}

export function sessionFile(
  { dataFolder }: Pick<Config, "dataFolder">,
  service: "platform" | "cloud",
): SessionFile {
  const path = join(dataFolder, `${service}-session.json`);
  return {
    find() {
      try {
        const content: unknown = JSON.parse(readFileSync(path, "utf8"));
        return isSession(content) ? content : undefined;
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
    alone: (work) => fileTurn(join(dataFolder, `${service}-session.lock`), systemClock, work),
  };
}

function isSession(value: unknown): value is KeptSession {
  if (typeof value !== "object" || value === null) return false;
  const { email, accessToken, refreshToken } = value as Partial<KeptSession>;
  return [email, accessToken, refreshToken].every((text) => typeof text === "string");
}
