import type {
  OperatorConnection,
  OperatorConnections,
} from "../../engine/tools/network/request/operator-connections.ts";
import { toAppError } from "../../kit/app-error.ts";
import type { Logger } from "../../kit/log.ts";
import type { SecretRegistry } from "../../kit/secrets/secret-registry.ts";
import { type ConnectionsFile, connectionsFileKind } from "../../manifest/files/connections-file.ts";
import { parseDocument } from "../../manifest/schema/manifest-kind.ts";
import type { Config } from "./config.ts";
import { fileVariables } from "./secrets/tool-secrets.ts";
import { type FileReading, fileState, parseWorkspaceFile, workspaceText } from "./workspace-file.ts";

const name = "connections.yaml";

/** Connections in connections.yaml, which is reloaded when it changes. If a change is broken, the previous connections stay. */
export interface Connections extends OperatorConnections {
  /** Names in the order of the file. */
  names(): string[];
  /** Returns the reason why the file can't be used now; undefined if it can. */
  fault(): string | undefined;
  /** A sentence for each connection that is not used because the workspace isn't trusted. */
  left(): readonly string[];
  look(): Promise<void>;
}

/** Reads the file of a workspace and registers its credentials for masking. Throws AppError `invalid_manifest` with its first problem. */
export function readConnections(
  workspace: string,
  reading: FileReading,
  secrets: SecretRegistry,
): ConnectionsFile {
  const text = workspaceText(workspace, name);
  const file =
    text === undefined
      ? parseDocument(connectionsFileKind, { connections: {} })
      : parseWorkspaceFile(connectionsFileKind, text, name, reading);
  for (const { credential } of Object.values(file.connections)) {
    if (credential !== undefined) secrets.add(credential);
  }
  return file;
}

/** Opens the connections. Throws AppError `invalid_manifest` if the file can't be used at the start. */
export function openConnections(
  {
    workspace,
    variable,
    knownSecrets,
    programs,
  }: Pick<Config, "workspace" | "variable" | "knownSecrets" | "programs">,
  log: Logger,
): Connections {
  const variables = fileVariables(variable, knownSecrets);
  let left: string[] = [];
  const read = () => {
    const names: string[] = [];
    const reading = {
      variables,
      refusal: programs.withholding(),
      onLeft: (message: string) => names.push(message),
    };
    const connections = byName(readConnections(workspace, reading, knownSecrets));
    left = names;
    return connections;
  };
  const state = () => fileState(workspace, name, programs.withholding());
  let text = state();
  let connections = read();
  let fault: string | undefined;
  return {
    find: (asked) => connections.get(asked),
    names: () => [...connections.keys()],
    fault: () => fault,
    left: () => left,
    async look() {
      const now = state();
      if (now === text) return;
      text = now;
      try {
        connections = read();
        fault = undefined;
        log.info("connections.loaded", { connections: connections.size });
      } catch (thrown) {
        fault = toAppError(thrown).message;
        log.warn("connections.refused", { message: fault });
      }
    },
  };
}

function byName({ connections }: ConnectionsFile): ReadonlyMap<string, OperatorConnection> {
  return new Map(
    Object.entries(connections).map(([key, { base_url, credential, header }]) => [
      key,
      { baseUrl: base_url, headers: headersOf(credential, header) },
    ]),
  );
}

function headersOf(credential: string | undefined, header: string | undefined): Record<string, string> {
  if (credential === undefined) return {};
  return header === undefined
    ? { authorization: `Bearer ${credential}` }
    : { [header.toLowerCase()]: credential };
}
