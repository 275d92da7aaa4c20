import { pages } from "../../src/console/areas.ts";
import type { WorldNames } from "./console-world.ts";

/** Values for the parameters of each page's address, in the world of the tests. */
const parameters: Readonly<Record<string, (names: WorldNames) => Record<string, string>>> = {
  "/studio/agents/:name": () => ({ name: "hello" }),
  "/studio/agents/:name/edit": () => ({ name: "hello" }),
  "/studio/agents/:name/history": () => ({ name: "hello" }),
  "/studio/traces/:id": ({ trace }) => ({ id: trace }),
  "/studio/recordings/:id": ({ recording }) => ({ id: recording }),
  "/studio/evals/:name": () => ({ name: "hello" }),
  "/studio/eval-runs/:id": ({ evalRun }) => ({ id: evalRun }),
  "/studio/eval-runs/:id/compare": ({ evalRun }) => ({ id: evalRun }),
  "/studio/memory/:agent/:session": ({ session }) => ({ agent: "support", session }),
  "/studio/knowledge/:collection": () => ({ collection: "handbook" }),
  "/studio/tools/:name": () => ({ name: "datetime_now" }),
  "/platform/t/:tenant/agents/:name": () => ({ name: "helper" }),
  "/platform/t/:tenant/agents/:name/edit": () => ({ name: "helper" }),
  "/platform/t/:tenant/agents/:name/run": () => ({ name: "helper" }),
  "/platform/t/:tenant/agents/:name/invocations/:id": ({ invocation }) => ({
    name: "helper",
    id: invocation,
  }),
  "/platform/t/:tenant/eval-runs/:id": ({ tenantEvalRun }) => ({ id: tenantEvalRun }),
  "/platform/t/:tenant/documents/:collection": () => ({ collection: "handbook" }),
  "/gateway/accounts/:id": ({ account }) => ({ id: account }),
  "/gateway/contacts/:id": ({ contact }) => ({ id: contact }),
  "/cloud/o/:org/agents/:name": ({ cloudAgent }) => ({ name: cloudAgent }),
  "/cloud/o/:org/agents/:name/edit": () => ({ name: "draft" }),
  "/cloud/o/:org/eval-runs/:id": ({ orgEvalRun }) => ({ id: orgEvalRun }),
  "/translator/specs/:kind/:name": ({ spec }) => ({ kind: "Agent", name: spec }),
  "/translator/specs/:kind/:name/edit": ({ spec }) => ({ kind: "Agent", name: spec }),
  "/platform/operator/tenants/:id": ({ tenant }) => ({ id: tenant }),
  "/platform/operator/tenants/:id/statement": ({ tenant }) => ({ id: tenant }),
  "/platform/operator/tenants/:id/events/:subscription": ({ tenant, subscription }) => ({
    id: tenant,
    subscription,
  }),
  "/platform/operator/invocations/:id": ({ invocation }) => ({ id: invocation }),
};

/** Queries that pages need in their address. */
const queries: Readonly<Record<string, (names: WorldNames) => string>> = {
  "/studio/eval-runs/:id/compare": ({ evalRunBefore }) => `?before=${evalRunBefore}`,
};

/** Returns every page of the console with an address in that world; throws for a page without known parameters. */
export function addressesOf(names: WorldNames): { page: string; address: string }[] {
  return pages.map(({ path }) => {
    const values = { tenant: names.tenant, org: names.org, ...parameters[path]?.(names) };
    const address = path.replaceAll(/:(\w+)/g, (_, name: string) => {
      const value = (values as Record<string, string>)[name];
      if (value === undefined)
        throw new Error(`Say in tests/support/console-pages.ts how ${path} is opened.`);
      return encodeURIComponent(value);
    });
    return { page: path, address: `${address}${queries[path]?.(names) ?? ""}` };
  });
}

/** Returns a file name for a page: `/studio/agents/:name` becomes `studio-agents-name`. */
export const fileNameOf = (page: string): string => page.replaceAll(/[^\w]+/g, "-").replace(/^-/, "");
