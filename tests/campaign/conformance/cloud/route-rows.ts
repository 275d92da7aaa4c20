import { type CloudPerson, draft, type TestCloud } from "../../../support/cloud.ts";
import { evalOf } from "../../../support/hosted-evals.ts";

/**
 * The callers of a route. `owner` routes are for owners; `manager` for admins too; `org` for members and API keys as well. `self` tells a
 * person or key about itself.
 */
export type Plane = "public" | "person" | "self" | "org" | "manager" | "owner";

/** Org A of the matrix, with one thing of each kind. */
export interface Things {
  cloud: TestCloud;
  owner: CloudPerson;
  /** Id of an API key that no caller uses. */
  keyId: string;
  memberId: string;
  /** A name that no other request of the matrix uses. */
  fresh(): string;
}

export interface RouteRequest {
  path: string;
  body?: unknown;
}

/** The expected answers of a route; the matrix tries each row with each credential. */
export interface RouteRow {
  /** Method and pattern as in the route table. */
  route: string;
  plane: Plane;
  /** A request that succeeds for a rightful caller. It may create what the request needs, as the owner. */
  request: (things: Things) => RouteRequest | Promise<RouteRequest>;
  status: number;
  /** True for a WebSocket route, which answers plain requests with 400 after every check. */
  socket?: true;
}

const open = (route: string): RouteRow => ({
  route,
  plane: "public",
  request: () => ({ path: route.split(" ")[1] ?? "" }),
  status: 200,
});

const inOrg = (
  route: string,
  status: number,
  request: (things: Things) => RouteRequest | Promise<RouteRequest>,
  plane: Plane = "org",
): RouteRow => {
  const [method, path] = route.split(" ");
  return {
    route: `${method} /api/v1/orgs/:slug${path === "/" ? "" : path}`,
    plane,
    status,
    async request(things) {
      const { path: place, body } = await request(things);
      return { path: `/api/v1${things.owner.org}${place}`, body };
    },
  };
};

const at = (path: string) => () => ({ path });

/** Creates an agent of the owner's in a state, and returns its path. */
async function newAgent({ cloud, owner, fresh }: Things, ...steps: readonly string[]): Promise<string> {
  const name = fresh();
  const { headers, org } = owner;
  const made = await cloud.call("POST", `${org}/agents`, { headers, body: draft(name) });
  if (made.status !== 201) throw new Error(`No agent: ${made.text}`);
  for (const step of steps) await cloud.call("POST", `${org}/agents/${name}/${step}`, { headers });
  return `/agents/${name}`;
}

/** Creates a deployed agent with a draft, and returns the draft's path. */
async function newDraft(things: Things): Promise<string> {
  const { cloud, owner } = things;
  const path = `${await newAgent(things, "deploy")}/draft`;
  const body = { step2: { persona: "a clerk" } };
  await cloud.call("PUT", `${owner.org}${path}`, { headers: owner.headers, body });
  return path;
}

/** Invites somebody as the owner, and returns the id. */
async function newInvitation({ cloud, owner, fresh }: Things): Promise<string> {
  const body = { email: `${fresh()}@example.com`, role: "member" };
  const made = await cloud.call("POST", `${owner.org}/members/invite`, { headers: owner.headers, body });
  return made.body.id;
}

/** Stores an eval of the owner's, and returns its name. */
async function newEval({ cloud, owner, fresh }: Things): Promise<string> {
  const { headers, org } = owner;
  const name = fresh();
  const body = evalOf(name, ["hello"], { agent: "helper" });
  const made = await cloud.call("PUT", `${org}/evals/${name}`, { headers, body });
  if (made.status >= 400) throw new Error(`No eval: ${made.text}`);
  // At most three runs of an org may be open, and nothing performs those of the matrix.
  const { body: page } = await cloud.call("GET", `${org}/eval-runs`, { headers });
  for (const { id, ended_at } of page.runs ?? [])
    if (ended_at === null) await cloud.call("POST", `${org}/eval-runs/${id}/cancel`, { headers });
  return name;
}

/** Orders a run of an eval, which nothing performs, and returns its id. */
async function newEvalRun(things: Things): Promise<string> {
  const { cloud, owner } = things;
  const path = `${owner.org}/evals/${await newEval(things)}/runs`;
  const made = await cloud.call("POST", path, { headers: owner.headers, body: {} });
  if (made.status >= 400) throw new Error(`No run: ${made.text}`);
  return made.body.id;
}

const hello = { query: "Hello?", session_id: "s" };

export const routeRows: readonly RouteRow[] = [
  open("GET /healthz"),
  open("GET /readyz"),
  open("GET /openapi.json"),
  open("GET /docs"),
  open("GET /docs/style.css"),
  {
    route: "POST /api/v1/auth/dev/login",
    plane: "public",
    request: ({ fresh }) => ({
      path: "/api/v1/auth/dev/login",
      body: { email: `${fresh()}@example.com`, name: "New" },
    }),
    status: 200,
  },
  ...["google", "github"].flatMap((vendor): RouteRow[] => [
    {
      route: `POST /api/v1/auth/${vendor}`,
      plane: "public",
      request: () => ({ path: `/api/v1/auth/${vendor}`, body: { code: "c", state: "s" } }),
      status: 501,
    },
    {
      route: `POST /api/v1/auth/${vendor}/start`,
      plane: "public",
      request: () => ({ path: `/api/v1/auth/${vendor}/start`, body: { redirect_uri: "https://x.example" } }),
      status: 501,
    },
  ]),
  {
    route: "POST /api/v1/auth/refresh",
    plane: "public",
    request: () => ({ path: "/api/v1/auth/refresh", body: { refresh_token: "unknown" } }),
    status: 401,
  },
  {
    route: "POST /api/v1/auth/logout",
    plane: "person",
    request: () => ({ path: "/api/v1/auth/logout" }),
    status: 204,
  },
  {
    route: "GET /api/v1/invitations",
    plane: "person",
    request: () => ({ path: "/api/v1/invitations" }),
    status: 200,
  },
  {
    // Nobody of the matrix was invited, so this is the answer to a foreign and a missing invitation.
    route: "POST /api/v1/invitations/:id/accept",
    plane: "person",
    request: ({ memberId }) => ({ path: `/api/v1/invitations/${memberId}/accept` }),
    status: 404,
  },
  {
    route: "POST /api/v1/invitations/:id/decline",
    plane: "person",
    request: ({ memberId }) => ({ path: `/api/v1/invitations/${memberId}/decline` }),
    status: 404,
  },
  {
    route: "GET /api/v1/me",
    plane: "person",
    request: () => ({ path: "/api/v1/me" }),
    status: 200,
  },
  {
    route: "GET /api/v1/me/sessions",
    plane: "person",
    request: () => ({ path: "/api/v1/me/sessions" }),
    status: 200,
  },
  {
    route: "DELETE /api/v1/me/sessions",
    plane: "person",
    request: () => ({ path: "/api/v1/me/sessions" }),
    status: 204,
  },
  {
    route: "DELETE /api/v1/me/sessions/:session",
    plane: "person",
    request: ({ memberId }) => ({ path: `/api/v1/me/sessions/${memberId}` }),
    status: 404,
  },
  {
    // Everybody in the matrix is the only owner of an org.
    route: "DELETE /api/v1/me",
    plane: "person",
    request: () => ({ path: "/api/v1/me" }),
    status: 409,
  },
  {
    route: "POST /api/v1/orgs",
    plane: "person",
    request: ({ fresh }) => ({ path: "/api/v1/orgs", body: { display_name: fresh() } }),
    status: 201,
  },
  inOrg("DELETE /", 204, at(""), "owner"),
  inOrg("PATCH /", 200, () => ({ path: "", body: { display_name: "Renamed" } }), "manager"),
  inOrg("GET /audit", 200, at("/audit"), "manager"),
  inOrg("GET /members", 200, at("/members")),
  inOrg(
    "POST /members/invite",
    201,
    ({ fresh }) => ({
      path: "/members/invite",
      body: { email: `${fresh()}@example.com`, role: "member" },
    }),
    "manager",
  ),
  inOrg(
    "PATCH /members/:id",
    200,
    async (things) => ({ path: `/members/${await newInvitation(things)}`, body: { role: "admin" } }),
    "manager",
  ),
  inOrg(
    "DELETE /members/:id",
    204,
    async (things) => ({ path: `/members/${await newInvitation(things)}` }),
    "manager",
  ),
  inOrg("GET /keys", 200, at("/keys")),
  inOrg("POST /keys", 201, ({ fresh }) => ({ path: "/keys", body: { name: fresh() } }), "manager"),
  inOrg(
    "DELETE /keys/:keyId",
    204,
    async ({ cloud, owner, fresh }) => {
      const { headers, org } = owner;
      const made = await cloud.call("POST", `${org}/keys`, { headers, body: { name: fresh() } });
      return { path: `/keys/${made.body.id}` };
    },
    "manager",
  ),
  inOrg("GET /providers", 200, at("/providers")),
  inOrg(
    "POST /providers",
    200,
    () => ({ path: "/providers", body: { provider: "openai", api_key: "sk-0123456789abcdef" } }),
    "manager",
  ),
  inOrg(
    "DELETE /providers/:provider",
    204,
    async ({ cloud, owner }) => {
      const body = { provider: "groq", api_key: "gsk-0123456789abcdef" };
      await cloud.call("POST", `${owner.org}/providers`, { headers: owner.headers, body });
      return { path: "/providers/groq" };
    },
    "manager",
  ),
  inOrg("GET /catalog", 200, at("/catalog")),
  inOrg("GET /agents", 200, at("/agents")),
  inOrg("POST /agents", 201, ({ fresh }) => ({ path: "/agents", body: draft(fresh()) })),
  inOrg("POST /check", 200, ({ fresh }) => ({ path: "/check", body: draft(fresh()) })),
  inOrg("POST /try", 200, ({ fresh }) => ({ path: "/try", body: { agent: draft(fresh()), query: "Hi" } })),
  inOrg("GET /agents/:name", 200, at("/agents/helper")),
  inOrg("PUT /agents/:name", 200, async (things) => ({
    path: await newAgent(things),
    body: { step2: { persona: "a pirate" } },
  })),
  inOrg("DELETE /agents/:name", 204, async (things) => ({ path: await newAgent(things) })),
  inOrg("POST /agents/:name/rename", 200, async (things) => ({
    path: `${await newAgent(things)}/rename`,
    body: { name: things.fresh() },
  })),
  inOrg("GET /agents/:name/draft", 200, async (things) => ({ path: await newDraft(things) })),
  inOrg("PUT /agents/:name/draft", 200, async (things) => ({
    path: await newDraft(things),
    body: { step2: { persona: "a pirate" } },
  })),
  inOrg("DELETE /agents/:name/draft", 204, async (things) => ({ path: await newDraft(things) })),
  inOrg("POST /agents/:name/draft/publish", 200, async (things) => ({
    path: `${await newDraft(things)}/publish`,
  })),
  inOrg("GET /agents/:name/manifest", 200, at("/agents/helper/manifest")),
  inOrg("POST /agents/:name/deploy", 200, async (things) => ({ path: `${await newAgent(things)}/deploy` })),
  inOrg("POST /agents/:name/pause", 200, async (things) => ({
    path: `${await newAgent(things, "deploy")}/pause`,
  })),
  inOrg("GET /agents/:name/release", 200, at("/agents/helper/release")),
  inOrg(
    "PUT /agents/:name/release",
    200,
    async (things) => ({ path: `${await newAgent(things)}/release`, body: { requires: [] } }),
    "manager",
  ),
  inOrg("GET /evals", 200, at("/evals")),
  inOrg("GET /evals/:name", 200, async (things) => ({ path: `/evals/${await newEval(things)}` })),
  inOrg("PUT /evals/:name", 200, ({ fresh }) => {
    const name = fresh();
    return { path: `/evals/${name}`, body: evalOf(name, ["hello"]) };
  }),
  inOrg("DELETE /evals/:name", 204, async (things) => ({ path: `/evals/${await newEval(things)}` })),
  inOrg("POST /evals/:name/runs", 202, async (things) => ({
    path: `/evals/${await newEval(things)}/runs`,
    body: {},
  })),
  inOrg("GET /eval-runs", 200, at("/eval-runs")),
  inOrg("GET /eval-runs/:id", 200, async (things) => ({ path: `/eval-runs/${await newEvalRun(things)}` })),
  inOrg("GET /eval-runs/:id/results", 200, async (things) => ({
    path: `/eval-runs/${await newEvalRun(things)}/results`,
  })),
  inOrg("POST /eval-runs/:id/cancel", 200, async (things) => ({
    path: `/eval-runs/${await newEvalRun(things)}/cancel`,
  })),
  inOrg("POST /agents/:name/test", 200, () => ({ path: "/agents/helper/test", body: hello })),
  inOrg("POST /agents/:name/run", 200, () => ({ path: "/agents/helper/run", body: hello })),
  inOrg("POST /agents/:name/stream-ticket", 200, at("/agents/helper/stream-ticket")),
  { ...inOrg("GET /agents/:name/stream", 400, at("/agents/helper/stream")), socket: true },
  inOrg("GET /usage", 200, at("/usage")),
  {
    route: "GET /api/v1/orgs/me",
    plane: "self",
    request: () => ({ path: "/api/v1/orgs/me" }),
    status: 200,
  },
];
