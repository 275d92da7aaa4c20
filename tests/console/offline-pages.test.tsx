import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { MantineProvider } from "@mantine/core";
import { hashKey, QueryCache, QueryClient, QueryClientProvider } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { Route, Router } from "wouter";
import { Unreachable } from "../../src/console/api/console-fetch.ts";
import type { Server } from "../../src/console/api/server.ts";
import { ServerProvider } from "../../src/console/api/use-server.tsx";
import { pages } from "../../src/console/areas.ts";
import { orgsKey } from "../../src/console/cloud/use-cloud.ts";
import { FailureView } from "../../src/console/parts/states/failure-view.tsx";
import { Loaded } from "../../src/console/parts/states/loaded.tsx";
import { tenantsKey } from "../../src/console/platform/tenant/use-tenants.ts";
import { RunFailureView } from "../../src/console/runs/run-failure-view.tsx";
import { type Session, SessionProvider } from "../../src/console/session/session.tsx";
import { runPartTexts } from "../../src/console/texts/runs.ts";
import { addressesOf } from "../support/console-pages.ts";

const away = new Unreachable("The server did not answer. Try again.");
const names = {
  tenant: "t1",
  subscription: "s",
  trace: "a",
  recording: "b",
  session: "c",
  evalRun: "e",
  evalRunBefore: "b",
  tenantEvalRun: "r",
  invocation: "d",
  account: "a",
  contact: "a",
  org: "owner",
  cloudAgent: "helper",
  orgEvalRun: "r",
  spec: "desk",
};

/** Browser functions that pages call while they render. */
const browser = {
  location: new URL("http://localhost/"),
  localStorage: { getItem: () => null, setItem: () => undefined },
  sessionStorage: { getItem: () => null, setItem: () => undefined },
};
beforeAll(() => void Object.assign(globalThis, browser));
afterAll(() => {
  for (const name of Object.keys(browser)) Reflect.deleteProperty(globalThis, name);
});

const alerts = (html: string): number => html.split('role="alert"').length - 1;

describe("while the banner says that the server does not answer", () => {
  test.each(addressesOf(names))("$page shows no box for the same cause", async ({ page, address }) => {
    const html = await pageMarkup(page, address, away, true);
    expect(alerts(html)).toBe(0);
  });

  test("a failed operation has no box, for any title", () => {
    expect(shown(<FailureView thrown={away} title="The agent could not be saved" />, { isLost: true })).toBe(
      "",
    );
  });

  test("a failure of another cause has its box", () => {
    const html = shown(<FailureView thrown={new Error("The disk is full.")} />, { isLost: true });
    expect(html).toContain("The disk is full.");
  });

  test("a run that was cut off has a note in its place", () => {
    const html = shown(<RunFailureView thrown={away} title="The run failed" />, { isLost: true });
    expect(alerts(html)).toBe(0);
    expect(html).toContain(runPartTexts.cutOff);
  });

  test("a list that was loaded stays", () => {
    const query = { data: ["a row"], isError: true, error: away, refetch: () => undefined };
    expect(shown(<Loaded query={query}>{(rows) => rows.join()}</Loaded>, { isLost: true })).toContain(
      "a row",
    );
  });
});

describe("without the banner", () => {
  test.each(addressesOf(names).filter(({ page }) => !needNoAnswer.has(page)))(
    "$page shows what failed",
    async ({ page, address }) => {
      expect(alerts(await pageMarkup(page, address, away, false))).toBeGreaterThan(0);
    },
  );

  test("a failed operation has its box", () => {
    expect(alerts(shown(<FailureView thrown={away} />, { isLost: false }))).toBe(1);
  });
});

/** Pages that are complete here: they need no query at this address, or at most the list of tenants or orgs. */
const needNoAnswer: ReadonlySet<string> = new Set([
  // Follows a stream instead of asking.
  "/operations/logs",
  "/studio/knowledge/pipelines/edit",
  "/studio/traces/compare",
  "/platform",
  "/platform/tenants",
  "/gateway/trail",
  "/cloud",
  "/cloud/sign-in",
]);

/** Returns a page's markup after every query of it has failed. */
async function pageMarkup(page: string, address: string, error: Error, isLost: boolean): Promise<string> {
  const View = pages.find(({ path }) => path === page)?.View;
  if (View === undefined) throw new Error(`There is no page at ${page}.`);
  await View.preload();
  const view = (
    <Route path={page}>
      <View />
    </Route>
  );
  return shown(view, { isLost, address, error });
}

interface World {
  isLost: boolean;
  address?: string;
  error?: Error;
}

function shown(children: ReactNode, { isLost, address = "/", error = away }: World): string {
  location.href = new URL(address, location.href).href;
  const queries = new QueryClient({
    queryCache: new FailedQueries(error),
    defaultOptions: { queries: { retryOnMount: false } },
  });
  const server = new Proxy({} as Server, {
    get: (_, name) => (name === "connection" ? { isLost: () => isLost, subscribe: () => () => {} } : calls),
  });
  return renderToStaticMarkup(
    <MantineProvider>
      <QueryClientProvider client={queries}>
        <ServerProvider server={server}>
          <SessionProvider session={session}>
            <Router ssrPath={address}>{children}</Router>
          </SessionProvider>
        </ServerProvider>
      </QueryClientProvider>
    </MantineProvider>,
  ).replaceAll(/<style.*?<\/style>/gs, "");
}
/** A cache in which every query has failed, except for the lists that each page of a tenant or an org needs first. */
class FailedQueries extends QueryCache {
  readonly #thrown: Error;

  constructor(thrown: Error) {
    super();
    this.#thrown = thrown;
  }

  override build: QueryCache["build"] = (client, options) => {
    const { queryKey } = options;
    const list = lists.find(({ key }) => queryKey !== undefined && hashKey(queryKey) === hashKey(key));
    const outcome = list
      ? {
          data: list.data,
          dataUpdatedAt: 1,
          error: null,
          errorUpdatedAt: 0,
          status: "success" as const,
        }
      : {
          data: undefined,
          dataUpdatedAt: 0,
          error: this.#thrown,
          errorUpdatedAt: 1,
          status: "error" as const,
        };
    return super.build(client, options, { ...untouched, ...outcome } as never);
  };
}

const lists = [
  {
    key: tenantsKey,
    data: { tenants: [{ id: names.tenant, displayName: "Ada Ltd", crName: "ada", role: "owner" }] },
  },
  {
    key: orgsKey,
    data: {
      orgs: [
        {
          slug: names.org,
          display_name: "Owner",
          plan: "free",
          limits: { max_agents: 5, requests_per_day: 1000, max_members: 3 },
          role: "owner",
        },
      ],
    },
  },
];

const untouched = {
  dataUpdateCount: 0,
  errorUpdateCount: 0,
  fetchFailureCount: 0,
  fetchFailureReason: null,
  fetchMeta: null,
  fetchStatus: "idle",
  isInvalidated: false,
};

/** Calls of a client; none of them is made while a page renders. */
const calls: unknown = new Proxy(() => calls, { get: () => calls });

const session = {
  state: { ways: {} },
  signedIn: { operator: true, cloud: true, person: { id: "u1" } },
} as unknown as Session;
