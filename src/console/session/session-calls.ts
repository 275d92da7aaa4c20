import type { ConsoleState, SessionBegun, SessionRequest } from "../../contracts/console/session.ts";
import { callService } from "../../contracts/service-call.ts";

/** The page's calls to its own server about the session. */
export interface SessionCalls {
  read(): Promise<ConsoleState>;
  begin(request: SessionRequest): Promise<SessionBegun>;
  end(): Promise<void>;
}

export function sessionCalls(fetch: (request: Request) => Promise<Response>): SessionCalls {
  const address = { fetch, baseUrl: location.origin };
  return {
    read: async () => (await callService(address, "GET", "/console/session")).json(),
    begin: async (body) => (await callService(address, "POST", "/console/session", { body })).json(),
    async end() {
      await callService(address, "DELETE", "/console/session");
    },
  };
}
