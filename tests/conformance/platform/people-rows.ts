import { at, type RouteRow } from "./route-row.ts";

const personRows: RouteRow[] = [
  { route: "GET /api/v1/me", plane: "person", request: at(() => "/api/v1/me"), status: 200, foreign: "own" },
  {
    route: "POST /auth/logout",
    plane: "person",
    request: at(() => "/auth/logout"),
    status: 204,
    foreign: "own",
    once: true,
    endsSession: true,
  },
  {
    route: "GET /api/v1/tenants",
    plane: "person",
    request: at(() => "/api/v1/tenants"),
    status: 200,
    foreign: "own",
  },
  {
    route: "POST /api/v1/tenants",
    plane: "person",
    request: (_, caller) => ({ path: "/api/v1/tenants", body: { displayName: caller } }),
    status: 201,
    foreign: "own",
    once: true,
  },
  {
    route: "PATCH /api/v1/tenants/:id",
    plane: "person",
    request: ({ tenant }) => ({ path: `/api/v1/tenants/${tenant}`, body: { displayName: "Renamed" } }),
    status: 200,
    foreign: "missing",
  },
  {
    route: "DELETE /api/v1/tenants/:id",
    plane: "person",
    request: at(({ tenant }) => `/api/v1/tenants/${tenant}`),
    status: 204,
    foreign: "missing",
    once: true,
  },
  {
    route: "POST /api/v1/tenants/:id/keys",
    plane: "person",
    request: ({ tenant }, caller) => ({ path: `/api/v1/tenants/${tenant}/keys`, body: { label: caller } }),
    status: 201,
    foreign: "missing",
  },
  {
    route: "GET /api/v1/tenants/:id/keys",
    plane: "person",
    request: at(({ tenant }) => `/api/v1/tenants/${tenant}/keys`),
    status: 200,
    foreign: "missing",
  },
  {
    route: "DELETE /api/v1/tenants/:id/keys/:hash",
    plane: "person",
    request: at(({ tenant, keyHash }) => `/api/v1/tenants/${tenant}/keys/${keyHash}`),
    status: 204,
    foreign: "missing",
    once: true,
  },
];

/** Passwords are checked before anything changes, so these rows send a wrong one: the person's other rows need the session. */
const accountRows: RouteRow[] = [
  {
    route: "POST /api/v1/me/password",
    plane: "person",
    request: () => ({ path: "/api/v1/me/password", body: { current: "not it", new: "long enough" } }),
    status: 403,
    foreign: "own",
  },
  {
    route: "POST /api/v1/me/email",
    plane: "person",
    request: () => ({ path: "/api/v1/me/email", body: { email: "new@example.com", current: "not it" } }),
    status: 403,
    foreign: "own",
  },
  {
    route: "POST /api/v1/me/email/confirm",
    plane: "person",
    request: ({ emailToken }) => ({ path: "/api/v1/me/email/confirm", body: { token: emailToken } }),
    status: 200,
    foreign: "missing",
    once: true,
  },
  {
    route: "GET /api/v1/me/sessions",
    plane: "person",
    request: at(() => "/api/v1/me/sessions"),
    status: 200,
    foreign: "own",
  },
  {
    route: "DELETE /api/v1/me/sessions",
    plane: "person",
    request: at(() => "/api/v1/me/sessions"),
    status: 204,
    foreign: "own",
  },
  {
    route: "DELETE /api/v1/me/sessions/:session",
    plane: "person",
    request: at(({ session }) => `/api/v1/me/sessions/${session}`),
    status: 204,
    foreign: "missing",
    once: true,
  },
  {
    // The owner of the only tenant that has nobody else.
    route: "DELETE /api/v1/me",
    plane: "person",
    request: at(() => "/api/v1/me"),
    status: 409,
    foreign: "own",
    endsSession: true,
  },
];

const memberRows: RouteRow[] = [
  {
    route: "GET /api/v1/tenants/:id/members",
    plane: "person",
    request: at(({ tenant }) => `/api/v1/tenants/${tenant}/members`),
    status: 200,
    foreign: "missing",
  },
  {
    route: "PATCH /api/v1/tenants/:id/members/:user",
    plane: "person",
    request: ({ tenant, member }) => ({
      path: `/api/v1/tenants/${tenant}/members/${member}`,
      body: { role: "member" },
    }),
    status: 200,
    foreign: "missing",
  },
  {
    route: "DELETE /api/v1/tenants/:id/members/:user",
    plane: "person",
    request: at(({ tenant, member }) => `/api/v1/tenants/${tenant}/members/${member}`),
    status: 204,
    foreign: "missing",
    once: true,
  },
  {
    route: "GET /api/v1/tenants/:id/invitations",
    plane: "person",
    request: at(({ tenant }) => `/api/v1/tenants/${tenant}/invitations`),
    status: 200,
    foreign: "missing",
  },
  {
    route: "POST /api/v1/tenants/:id/invitations",
    plane: "person",
    request: ({ tenant }, caller) => ({
      path: `/api/v1/tenants/${tenant}/invitations`,
      body: { email: `${caller.replaceAll(/[^a-z0-9]+/gi, "-")}@example.com`, role: "viewer" },
    }),
    status: 201,
    foreign: "missing",
  },
  {
    route: "DELETE /api/v1/tenants/:id/invitations/:invitation",
    plane: "person",
    request: at(({ tenant, invitation }) => `/api/v1/tenants/${tenant}/invitations/${invitation}`),
    status: 204,
    foreign: "missing",
    once: true,
  },
  {
    route: "POST /api/v1/invitations/accept",
    plane: "person",
    request: ({ inviteToken }) => ({ path: "/api/v1/invitations/accept", body: { token: inviteToken } }),
    status: 200,
    foreign: "missing",
    once: true,
  },
];

/** Routes of people: their accounts, their tenants, and the members of these. */
export const peopleRows: RouteRow[] = [...personRows, ...accountRows, ...memberRows];
