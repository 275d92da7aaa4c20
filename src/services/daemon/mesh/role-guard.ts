import type { MeshRole } from "../../../contracts/daemon/mesh.ts";
import type { ServiceApp } from "../../../http/service-app.ts";
import { AppError } from "../../../kit/app-error.ts";

interface ClosedPath {
  path: RegExp;
  /** Methods that are closed; absent: all. */
  methods?: readonly string[];
  /** Parts that the role does not have. */
  subject: string;
}

const writes = ["POST", "PUT", "PATCH", "DELETE"];

const documents: ClosedPath = { path: /^\/v1\/rag(?:\/|$)/, subject: "documents" };
const memory: ClosedPath = { path: /^\/v1\/memory(?:\/|$)/, subject: "memory" };
const tools: ClosedPath = { path: /^\/v1\/(?:tools|skills)(?:\/|$)/, subject: "tools" };
const evals: ClosedPath = { path: /^\/v1\/eval(?:s|-runs)(?:\/|$)/, subject: "evals" };
const triggers: ClosedPath = { path: /^\/v1\/(?:triggers|hooks)(?:\/|$)/, subject: "triggers" };
const channels: ClosedPath = { path: /^\/v1\/channels(?:\/|$)/, subject: "messaging channels" };

/** Paths of the daemon that a role does not serve. */
const closedPaths: Readonly<Record<MeshRole, readonly ClosedPath[]>> = {
  full: [],
  gateway: [
    {
      path: /^\/v1\/agents(?:\/[^/]+(?:\/(?:deploy|pause))?)?\/?$/,
      methods: writes,
      subject: "agents of its own",
    },
    documents,
    memory,
    tools,
    evals,
    triggers,
    { path: /^\/v1\/ml(?:\/|$)/, subject: "models in files" },
  ],
  worker: [channels],
  inference: [
    { path: /^\/v1\/(?:agents|ws|approvals|tool-calls|cassettes|gallery)(?:\/|$)/, subject: "agents" },
    { path: /^\/mcp\/?$/, subject: "agents" },
    documents,
    memory,
    tools,
    evals,
    triggers,
    channels,
  ],
};

const nextRole: Readonly<Record<MeshRole, string>> = {
  full: "full",
  gateway: "worker or full",
  worker: "gateway or full",
  inference: "worker or full",
};

/** Refuses requests that the node's role does not serve with 421 `not_in_role`, which names a role that does. */
export function withRole(app: ServiceApp, role: MeshRole): ServiceApp {
  const closed = closedPaths[role];
  if (closed.length === 0) return app;
  return {
    ...app,
    handle(request, origin) {
      const pathname = URL.parse(request.url)?.pathname ?? "";
      const match = closed.find(
        ({ path, methods }) => path.test(pathname) && (methods?.includes(request.method) ?? true),
      );
      if (match === undefined) return app.handle(request, origin);
      return app.fail(
        new AppError(
          "misdirected",
          "not_in_role",
          `This node has the role ${role}, which has no ${match.subject}.`,
          {
            details: { hint: `Send the request to a node with the role ${nextRole[role]}.` },
          },
        ),
      );
    },
  };
}
