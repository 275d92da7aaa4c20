import type { Origin } from "../../http/call.ts";
import { type Access, createFrontDoor } from "../../http/front-door/front-door.ts";
import { createServiceApp } from "../../http/service-app.ts";
import { AppError } from "../../kit/app-error.ts";
import { createAssetAnswers } from "./assets/asset-answers.ts";
import type { ConsoleDeps } from "./deps.ts";
import { createForward } from "./forward/forward.ts";
import { createConsolePage } from "./page/console-page.ts";
import { createPersonTokens } from "./sessions/person-tokens.ts";
import { sessionRoutes } from "./sessions/routes.ts";

/** The console on one service's listener. */
export interface ConsoleApp {
  /** Answers GET and HEAD requests for any page. */
  page(request: Request, origin: Origin): Promise<Response>;
  /** Answers all requests under `/console/`; `path` is the request's path. */
  handle(request: Request, origin: Origin, path: string): Response | Promise<Response>;
}

const apiPath = "/console/api/";
const assetPath = "/console/assets/";

/** Creates the console for the service `home`, with that service's allowed host names. */
export function createConsoleApp(deps: ConsoleDeps, home: string, access: Access): ConsoleApp {
  // The console's own front door checks Host and Origin. Sessions are its credential.
  const own: Access = { ...access, guard: "none", openPaths: [] };
  const enter = createFrontDoor(own);
  const tokens = createPersonTokens(deps);
  const page = createConsolePage(deps.bundles);
  const assets = createAssetAnswers(deps.bundles);
  const forward = createForward(deps, home, tokens);
  const app = createServiceApp({
    name: "console",
    title: "Argosy console",
    description: "Sessions of the web console.",
    version: deps.version,
    access: own,
    secure: deps.secure,
    readReadiness: async () => [],
    routes: () => [sessionRoutes(deps, home, tokens)],
    log: deps.log,
    newId: deps.newId,
  });

  async function findAsset(request: Request, path: string): Promise<Response> {
    if (request.method !== "GET" && request.method !== "HEAD") throw readOnly();
    const asset = await assets(request, path.slice("/console/".length));
    if (asset !== undefined) return asset;
    throw new AppError("not_found", "not_found", "The console has no such file.", {
      details: { hint: "Load the page again: the program was replaced since." },
    });
  }

  const guarded =
    (answer: (request: Request, origin: Origin, path: string) => Promise<Response>) =>
    async (request: Request, origin: Origin, path: string): Promise<Response> => {
      try {
        enter(request, origin.peer);
        return await answer(request, origin, path);
      } catch (thrown) {
        return app.fail(thrown);
      }
    };
  const answerPage = guarded(page);
  const answerAsset = guarded((request, _, path) => findAsset(request, path));
  const answerCall = guarded(forward);

  return {
    page: (request, origin) => answerPage(request, origin, ""),
    handle(request, origin, path) {
      if (path.startsWith(assetPath)) return answerAsset(request, origin, path);
      if (path.startsWith(apiPath)) return answerCall(request, origin, path);
      return app.handle(request, origin);
    },
  };
}

function readOnly(): AppError {
  return new AppError("method_not_allowed", "method_not_allowed", "This path answers GET, HEAD.", {
    details: { allow: ["GET", "HEAD"] },
  });
}
