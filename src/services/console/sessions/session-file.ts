import { existsSync, readFileSync } from "node:fs";
import { type Static, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import type { Logger } from "../../../kit/log.ts";
import { removeFile, replaceFile } from "../../../storage/files/replace-file.ts";
import type { SealContext, Sealer } from "../../../storage/sealing/seal.ts";
import type { SessionKeeper } from "./session-book.ts";

const Sessions = Type.Array(
  Type.Object({
    id: Type.String(),
    key: Type.String(),
    openedAtMs: Type.Number(),
    usedAtMs: Type.Number(),
    grants: Type.Object({
      visitor: Type.Optional(Type.Boolean()),
      daemon: Type.Optional(Type.String()),
      operator: Type.Optional(Type.String()),
      admin: Type.Optional(Type.String()),
      member: Type.Optional(Type.Object({ accessToken: Type.String(), refreshToken: Type.String() })),
      person: Type.Optional(
        Type.Object({
          id: Type.String(),
          email: Type.String(),
          display_name: Type.String(),
          accessToken: Type.String(),
          refreshToken: Type.String(),
          operator: Type.Boolean(),
        }),
      ),
      local: Type.Optional(Type.Boolean()),
    }),
  }),
);

const place: SealContext = { purpose: "console-sessions", tenant: "operator", name: "sessions" };

/**
 * Stores sessions in one sealed file, readable by this user only. Without a sealer, they last as long as the process. If the file can't be
 * read, everyone must sign in again.
 */
export function sessionFile(file: string, sealer: Sealer | undefined, log: Logger): SessionKeeper {
  if (sealer === undefined) return { read: () => [], write() {} };
  return {
    read() {
      if (!existsSync(file)) return [];
      try {
        return parseSessions(sealer.open(readFileSync(file, "utf8").trim(), place));
      } catch (thrown) {
        log.warn("console.sessions_unreadable", { file, err: thrown });
        return [];
      }
    },
    write(sessions) {
      try {
        if (sessions.length === 0) removeFile(file);
        else replaceFile(file, `${sealer.seal(JSON.stringify(sessions), place)}\n`, 0o600);
      } catch (thrown) {
        log.warn("console.sessions_unwritten", { file, err: thrown });
      }
    },
  };
}

function parseSessions(text: string): Static<typeof Sessions> {
  const sessions: unknown = JSON.parse(text);
  if (Value.Check(Sessions, sessions)) return sessions;
  throw new Error("They have another form.");
}
