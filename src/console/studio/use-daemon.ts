import { type DaemonClient, daemonClient } from "../../contracts/daemon/client.ts";
import type { Server } from "../api/server.ts";
import { useServer } from "../api/use-server.tsx";

export const daemonOf = (server: Server): DaemonClient => server.client("daemon", daemonClient);

export const useDaemon = (): DaemonClient => daemonOf(useServer());
