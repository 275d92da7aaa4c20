import { serviceFetch } from "../../kit/fetch/service-fetch.ts";
import type { NodeNetwork } from "../../services/daemon/mesh/node-runs.ts";

/** Calls to other nodes: no redirects, no proxy. */
const callOptions = { redirect: "manual", proxy: false as never } as const;

/** Connections to other nodes. */
export const nodeNetwork: NodeNetwork = {
  fetch: (request) => serviceFetch(request, callOptions),
  fetchRun: (url, init) => serviceFetch(url, { ...init, ...callOptions }),
  withTls(tls) {
    const explained = (url: string) => (thrown: unknown) => {
      throw tls.failure(new URL(url).host, thrown) ?? thrown;
    };
    return {
      fetch: (request) =>
        serviceFetch(request, { ...callOptions, tls: tls.callOptions }).catch(explained(request.url)),
      fetchRun: (url, init) =>
        serviceFetch(url, { ...init, ...callOptions, tls: tls.callOptions }).catch(explained(url)),
    };
  },
};
