import type { StreamTicket } from "../daemon/runs/stream-ticket.ts";
import { hostedEvalCalls } from "../evals/hosted-eval-calls.ts";
import { segment, withQuery } from "../paths.ts";
import {
  type CallBody,
  callService,
  type ServiceAddress,
  serviceUrl,
  streamService,
} from "../service-call.ts";
import type { OwnSessionList } from "../sessions.ts";
import { ifMatch, taggedJson } from "../tagged.ts";
import type {
  AgentDraft,
  AgentInput,
  AgentItems,
  CloudAgent,
  CloudCatalog,
  ConfigCheck,
  Deployed,
  OrgAgentChange,
  Paused,
} from "./agents.ts";
import type { CloudAuditList, CloudAuditQuery } from "./audit.ts";
import type {
  CloudTokens,
  CloudUserAccount,
  DevLogin,
  GithubSignIn,
  GoogleSignIn,
  SignInStart,
  SignInStarted,
} from "./auth.ts";
import type { CloudEvalOrder, CloudEvalRun, CloudEvalRunDetail } from "./evals.ts";
import type { CloudKeyList, NewCloudKey } from "./keys.ts";
import type {
  InviteInput,
  Org,
  OrgInvitationList,
  OrgInvited,
  OrgList,
  OrgMember,
  OrgMemberList,
  OrgMemberRole,
} from "./orgs.ts";
import type { OrgProviderList, ProviderKeyInput, ProviderSaved } from "./providers.ts";
import type { OrgReleaseGate, ReleaseRules } from "./release.ts";
import type { CloudFrame, CloudRunRequest, CloudRunResult, CloudTrial } from "./runs.ts";
import type { OrgUsageReport } from "./usage.ts";

export type CloudClient = ReturnType<typeof cloudClient>;

/** Daily limit of an org, as the headers of a run tell it. */
export interface RateLimit {
  limit: number;
  remaining: number;
  /** Epoch seconds of the next UTC midnight. */
  reset: number;
}

/** A client of the managed cloud. The credential is a header of `address`. */
export function cloudClient(address: ServiceAddress) {
  const base = "/api/v1";
  const raw = (method: string, path: string, call?: CallBody) =>
    callService(address, method, `${base}${path}`, call);
  const json = async <T>(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<T> =>
    (await (await raw(method, path, { body, signal })).json()) as T;
  const done = async (method: string, path: string, body?: unknown) =>
    void (await raw(method, path, { body }));
  const orgPath = (slug: string) => `/orgs/${segment(slug)}`;
  const agentPath = (slug: string, name: string) => `${orgPath(slug)}/agents/${segment(name)}`;
  const run = async (path: string, request: CloudRunRequest, signal?: AbortSignal) => {
    const response = await raw("POST", path, { body: request, signal });
    const header = (name: string) => Number(response.headers.get(`x-ratelimit-${name}`));
    const rateLimit: RateLimit = {
      limit: header("limit"),
      remaining: header("remaining"),
      reset: header("reset"),
    };
    return { result: (await response.json()) as CloudRunResult, rateLimit };
  };
  return {
    devLogin: (input: DevLogin) => json<CloudTokens>("POST", "/auth/dev/login", input),
    google: (input: GoogleSignIn) => json<CloudTokens>("POST", "/auth/google", input),
    startGoogle: (input: SignInStart) => json<SignInStarted>("POST", "/auth/google/start", input),
    github: (input: GithubSignIn) => json<CloudTokens>("POST", "/auth/github", input),
    startGithub: (input: SignInStart) => json<SignInStarted>("POST", "/auth/github/start", input),
    refresh: (refresh_token: string) => json<CloudTokens>("POST", "/auth/refresh", { refresh_token }),
    logout: () => done("POST", "/auth/logout"),
    me: () => json<CloudUserAccount>("GET", "/me"),
    listSessions: () => json<OwnSessionList>("GET", "/me/sessions"),
    endSession: (id: string) => done("DELETE", `/me/sessions/${segment(id)}`),
    endOtherSessions: () => done("DELETE", "/me/sessions"),
    /** Deletes the person's account; they leave their orgs. */
    deleteAccount: () => done("DELETE", "/me"),
    org: () => json<Org>("GET", "/orgs/me"),
    orgs: () => json<OrgList>("GET", "/orgs/me?all=true"),
    createOrg: (display_name: string) => json<Org>("POST", "/orgs", { display_name }),
    /** Deletes the org with its agents, keys and data. */
    deleteOrg: (slug: string) => done("DELETE", orgPath(slug)),
    renameOrg: (slug: string, display_name: string) => json<Org>("PATCH", orgPath(slug), { display_name }),
    members: (slug: string) => json<OrgMemberList>("GET", `${orgPath(slug)}/members`),
    invite: (slug: string, input: InviteInput) =>
      json<OrgInvited>("POST", `${orgPath(slug)}/members/invite`, input),
    changeRole: (slug: string, id: string, role: OrgMemberRole) =>
      json<OrgMember>("PATCH", `${orgPath(slug)}/members/${segment(id)}`, { role }),
    /** Removes a member or an invitation. With the caller's own id, leaves the org. */
    removeMember: (slug: string, id: string, { keepKeys = false }: { keepKeys?: boolean } = {}) =>
      done(
        "DELETE",
        withQuery(`${orgPath(slug)}/members/${segment(id)}`, { ...(keepKeys && { keep_keys: "true" }) }),
      ),
    invitations: () => json<OrgInvitationList>("GET", "/invitations"),
    acceptInvitation: (id: string) => json<Org>("POST", `/invitations/${segment(id)}/accept`),
    declineInvitation: (id: string) => done("POST", `/invitations/${segment(id)}/decline`),
    keys: (slug: string) => json<CloudKeyList>("GET", `${orgPath(slug)}/keys`),
    createKey: (slug: string, name: string, expires_at?: string) =>
      json<NewCloudKey>("POST", `${orgPath(slug)}/keys`, { name, ...(expires_at && { expires_at }) }),
    revokeKey: (slug: string, id: string) => done("DELETE", `${orgPath(slug)}/keys/${segment(id)}`),
    providers: (slug: string) => json<OrgProviderList>("GET", `${orgPath(slug)}/providers`),
    saveProvider: (slug: string, input: ProviderKeyInput) =>
      json<ProviderSaved>("POST", `${orgPath(slug)}/providers`, input),
    deleteProvider: (slug: string, provider: string) =>
      done("DELETE", `${orgPath(slug)}/providers/${segment(provider)}`),
    catalog: (slug: string) => json<CloudCatalog>("GET", `${orgPath(slug)}/catalog`),
    agents: (slug: string) => json<AgentItems>("GET", `${orgPath(slug)}/agents`),
    createAgent: (slug: string, input: AgentInput) =>
      json<CloudAgent>("POST", `${orgPath(slug)}/agents`, input),
    /** Checks a new agent, or a config for an existing one, and compiles it. Stores nothing. */
    checkConfig: (slug: string, input: Partial<AgentInput>, signal?: AbortSignal) =>
      json<ConfigCheck>("POST", `${orgPath(slug)}/check`, input, signal),
    agent: (slug: string, name: string) => json<CloudAgent>("GET", agentPath(slug, name)),
    readAgent: async (slug: string, name: string) =>
      taggedJson<CloudAgent>(await raw("GET", agentPath(slug, name))),
    /** `match`: refuses with 412 unless the agent still has this tag. */
    updateAgent: async (slug: string, name: string, change: OrgAgentChange, match?: string) => {
      const call = { body: change, headers: ifMatch(match) };
      return (await (await raw("PUT", agentPath(slug, name), call)).json()) as CloudAgent;
    },
    /** Gives an agent another name. Memory, usage and evals stay with it. */
    renameAgent: (slug: string, name: string, to: string) =>
      json<CloudAgent>("POST", `${agentPath(slug, name)}/rename`, { name: to }),
    draft: (slug: string, name: string) => json<AgentDraft>("GET", `${agentPath(slug, name)}/draft`),
    /** Merges a change into the draft of the next version. `match`: refuses with 412 unless the agent still has this tag. */
    changeDraft: async (slug: string, name: string, change: OrgAgentChange, match?: string) => {
      const call = { body: change, headers: ifMatch(match) };
      return (await (await raw("PUT", `${agentPath(slug, name)}/draft`, call)).json()) as AgentDraft;
    },
    discardDraft: (slug: string, name: string) => done("DELETE", `${agentPath(slug, name)}/draft`),
    /** Puts the draft in force without a pause. */
    publishDraft: (
      slug: string,
      name: string,
      { release_override }: { release_override?: string | undefined } = {},
    ) => json<Deployed>("POST", withQuery(`${agentPath(slug, name)}/draft/publish`, { release_override })),
    deleteAgent: (slug: string, name: string) => done("DELETE", agentPath(slug, name)),
    /** Returns the compiled manifest as YAML. */
    manifest: async (slug: string, name: string) =>
      (await raw("GET", `${agentPath(slug, name)}/manifest`, { accept: "*/*" })).text(),
    /** `release_override`: a reason to deploy it although its gate refuses it. */
    deploy: (
      slug: string,
      name: string,
      { release_override }: { release_override?: string | undefined } = {},
    ) => json<Deployed>("POST", withQuery(`${agentPath(slug, name)}/deploy`, { release_override })),
    /** The release gate, and whether it accepts the agent as it is. */
    releaseGate: (slug: string, name: string) =>
      json<OrgReleaseGate>("GET", `${agentPath(slug, name)}/release`),
    setReleaseRules: (slug: string, name: string, rules: ReleaseRules) =>
      json<OrgReleaseGate>("PUT", `${agentPath(slug, name)}/release`, rules),
    /** Evals of the org and their runs. */
    evals: (slug: string) =>
      hostedEvalCalls<CloudEvalOrder, CloudEvalRun, CloudEvalRunDetail>(raw, orgPath(slug)),
    pause: (slug: string, name: string) => json<Paused>("POST", `${agentPath(slug, name)}/pause`),
    run: (slug: string, name: string, request: CloudRunRequest, signal?: AbortSignal) =>
      run(`${agentPath(slug, name)}/run`, request, signal),
    test: (slug: string, name: string, request: CloudRunRequest, signal?: AbortSignal) =>
      run(`${agentPath(slug, name)}/test`, request, signal),
    /** Yields the frames of one counted run as server-sent events; the last is `done` or `error`. Stopping early cancels the run. */
    streamRun: (slug: string, name: string, request: CloudRunRequest, signal?: AbortSignal) =>
      streamService<CloudFrame>(address, "POST", `${base}${agentPath(slug, name)}/run`, {
        body: request,
        signal,
      }),
    /** Yields the frames of a run of an agent that is not stored as it is sent. It is not counted. */
    tryAgent: (
      slug: string,
      trial: Omit<CloudTrial, "agent"> & { agent: AgentInput },
      signal?: AbortSignal,
    ) => streamService<CloudFrame>(address, "POST", `${base}${orgPath(slug)}/try`, { body: trial, signal }),
    /** Returns the address of one WebSocket, with a ticket that is good for 30 seconds. */
    streamUrl: async (slug: string, name: string) => {
      const { ticket } = await json<StreamTicket>("POST", `${agentPath(slug, name)}/stream-ticket`);
      const url = serviceUrl(address.baseUrl, `${base}${agentPath(slug, name)}/stream`);
      url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
      url.searchParams.set("ticket", ticket);
      return url.href;
    },
    /** Returns a ticket that opens one WebSocket at `…/stream?ticket=…`. */
    streamTicket: (slug: string, name: string) =>
      json<StreamTicket>("POST", `${agentPath(slug, name)}/stream-ticket`),
    /** Changes to the org, newest first. */
    audit: (slug: string, query: CloudAuditQuery = {}) =>
      json<CloudAuditList>("GET", withQuery(`${orgPath(slug)}/audit`, query)),
    usage: (slug: string, days = 30) => json<OrgUsageReport>("GET", `${orgPath(slug)}/usage?days=${days}`),
    /** Like `usage`, with what the org stores. */
    usageAndStorage: (slug: string, days = 30) =>
      json<OrgUsageReport>("GET", `${orgPath(slug)}/usage?days=${days}&storage=true`),
    /** Like `usage`, with every day of the period and what the org stores. */
    usageByDay: (slug: string, days = 30) =>
      json<OrgUsageReport>("GET", `${orgPath(slug)}/usage?days=${days}&by_day=true&storage=true`),
  };
}
