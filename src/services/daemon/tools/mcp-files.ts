import { existsSync, readFileSync } from "node:fs";
import type { Login, LoginStore } from "../../../engine/tools/mcp/oauth/login-store.ts";
import type { SeenTools, ToolPins } from "../../../engine/tools/mcp/tool-pins.ts";
import { AppError } from "../../../kit/app-error.ts";
import { isRecord } from "../../../kit/json/is-record.ts";
import { LatestMap } from "../../../kit/latest-map.ts";
import type { Logger } from "../../../kit/log.ts";
import { replaceFile } from "../../../storage/files/replace-file.ts";
import type { SealContext, Sealer } from "../../../storage/sealing/seal.ts";
import { operatorTenant } from "../operator-tenant.ts";

/** Maximum number of servers remembered; those set longest ago are dropped first. */
const serversMax = 1000;

/**
 * Tools that servers offered, stored in `file` and saved at each change. If the file can't be read or written, changes are reported only
 * while the process runs.
 */
export function openToolPins(file: string, log: Logger): ToolPins {
  const { servers } = readMapping(file, log);
  const seen = new LatestMap<string, SeenTools>(serversMax);
  if (isRecord(servers))
    for (const [server, tools] of Object.entries(servers).filter(hasTexts)) seen.set(server, tools);
  return {
    get: (server) => seen.get(server),
    set(server, tools) {
      seen.set(server, tools);
      try {
        replaceFile(file, `${JSON.stringify({ servers: Object.fromEntries(seen) })}\n`, 0o600);
      } catch (thrown) {
        log.warn("mcp.file_unwritten", { file, err: thrown });
      }
    },
  };
}

/** Logins at MCP servers, each sealed, in `file`. Without a sealer nothing is stored, and logins are refused. */
export function openLogins(file: string, sealer: Sealer | undefined, log: Logger): LoginStore {
  const { logins } = readMapping(file, log);
  const boxes = new Map(isRecord(logins) ? Object.entries(logins).filter(isText) : []);
  const opened = new Map<string, Login | undefined>();
  const open = (server: string): Login | undefined => {
    const box = boxes.get(server);
    if (box === undefined || sealer === undefined) return undefined;
    try {
      return JSON.parse(sealer.open(box, placeOf(server)));
    } catch (thrown) {
      log.warn("mcp.login_unreadable", { err: thrown });
      return undefined;
    }
  };
  return {
    get(server) {
      if (!opened.has(server)) opened.set(server, open(server));
      return opened.get(server);
    },
    set(server, login) {
      if (login === undefined) boxes.delete(server);
      else if (sealer === undefined) throw unsealed();
      else boxes.set(server, sealer.seal(JSON.stringify(login), placeOf(server)));
      replaceFile(file, `${JSON.stringify({ logins: Object.fromEntries(boxes) })}\n`, 0o600);
      opened.set(server, login);
    },
  };
}

function placeOf(server: string): SealContext {
  return { purpose: "mcp-login", tenant: operatorTenant, name: server };
}

function unsealed(): AppError {
  return new AppError("conflict", "logins_unsealed", "There is no key to seal a login with.", {
    details: { hint: "argosy secrets init" },
  });
}

/** Reads one of our files. If it is damaged, logs that and returns nothing. */
function readMapping(file: string, log: Logger): Record<string, unknown> {
  if (!existsSync(file)) return {};
  try {
    const read: unknown = JSON.parse(readFileSync(file, "utf8"));
    if (isRecord(read)) return read;
  } catch {
    // Logged below, like any other content that isn't ours.
  }
  log.warn("mcp.file_unreadable", { file });
  return {};
}

function hasTexts(entry: [string, unknown]): entry is [string, SeenTools] {
  return isRecord(entry[1]) && Object.entries(entry[1]).every(isText);
}

function isText(entry: [string, unknown]): entry is [string, string] {
  return typeof entry[1] === "string";
}
