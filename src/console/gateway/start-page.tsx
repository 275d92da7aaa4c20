import { Redirect } from "wouter";
import { gatewayPaths } from "./gateway-paths.ts";
import StatsPage from "./stats/stats-page.tsx";
import { useDesk } from "./use-gateway.ts";

/** The overview for the gateway's operators; a tenant's desk starts with its conversations. */
export default function StartPage() {
  return useDesk() === undefined ? <StatsPage /> : <Redirect to={gatewayPaths.inbox} replace />;
}
