import type { ToolEntry } from "../../../manifest/agent/tools.ts";

/** Address of a server. Equal addresses mean the same server. */
export type ServerAddress =
  | {
      transport: "stdio";
      command: string;
      args: readonly string[];
      env: Readonly<Record<string, string>>;
      memoryBytesMax: number;
    }
  | {
      transport: "sse" | "http";
      url: string;
      headers: Readonly<Record<string, string>>;
      allowsLoopback: boolean;
      oauth?: OAuthClient;
    };

/** A client that somebody registered at the server's authorization server. */
export interface OAuthClient {
  clientId: string;
  clientSecret?: string;
  /** Scopes that a login asks for; empty: those that the server names. */
  scopes: readonly string[];
}

type McpConfig = Extract<ToolEntry, { type: "mcp" }>["config"];

/** The server address in an entry's options, or the problems with them, each with its key. */
export function addressOf(config: McpConfig): ServerAddress | { faults: { key: string; message: string }[] } {
  const { transport, command, args, env, url, headers, oauth, allow_localhost, memory_mb } = config;
  const faults: { key: string; message: string }[] = [];
  const foreign = (key: string, isGiven: boolean) => {
    if (isGiven) faults.push({ key, message: `is nothing that a server over ${transport} has` });
  };
  if (transport === "stdio") {
    foreign("url", url !== undefined);
    foreign("headers", Object.keys(headers).length > 0);
    foreign("oauth", oauth !== undefined);
    foreign("allow_localhost", allow_localhost);
    if (command === undefined) faults.push({ key: "command", message: "is required: the program to start" });
    if (faults.length > 0 || command === undefined) return { faults };
    return { transport, command, args, env, memoryBytesMax: memory_mb * 1024 ** 2 };
  }
  foreign("command", command !== undefined);
  foreign("args", args.length > 0);
  foreign("env", Object.keys(env).length > 0);
  const fault = url === undefined ? "is required: the server's address" : faultOfUrl(url, allow_localhost);
  if (fault !== undefined) faults.push({ key: "url", message: fault });
  if (faults.length > 0 || url === undefined) return { faults };
  return {
    transport,
    url,
    headers,
    allowsLoopback: allow_localhost,
    ...(oauth && {
      oauth: {
        clientId: oauth.client_id,
        ...(oauth.client_secret !== undefined && { clientSecret: oauth.client_secret }),
        scopes: oauth.scopes,
      },
    }),
  };
}

function faultOfUrl(url: string, allowsLoopback: boolean): string | undefined {
  if (!URL.canParse(url)) return "is no address";
  const { hostname, username, password } = new URL(url);
  if (username !== "" || password !== "") return "may not hold a user or a password; send a header instead";
  if (allowsLoopback || !/^(localhost|.*\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname))
    return undefined;
  return "leads to this machine, which allow_localhost: true permits";
}
