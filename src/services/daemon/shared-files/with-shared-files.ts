import type { ServiceApp } from "../../../http/service-app.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { SharedFiles } from "./shared-files.ts";

const writes: ReadonlySet<string> = new Set(["POST", "PUT", "PATCH", "DELETE"]);
/** Requests that change shared entries. What others change is shared by the worker, half a second later. */
const changes =
  /^\/v1\/(?:agents(?:\/[^/]+(?:\/(?:pause|deploy|canary|versions\/[^/]+\/restore))?)?|rag\/pipelines(?:\/[^/]+)?|evals(?:\/.*)?|gallery(?:\/.*)?)\/?$/;

/**
 * Lets requests that change the configuration begin with what other nodes changed, and answers only when all nodes can see the change. If
 * another node was faster, the answer is 409 `changed_elsewhere`.
 */
export function withSharedFiles(
  app: ServiceApp,
  shared: Pick<SharedFiles, "look" | "dropAsides">,
): ServiceApp {
  return {
    ...app,
    async handle(request, origin) {
      const isChange = writes.has(request.method) && changes.test(URL.parse(request.url)?.pathname ?? "");
      if (!isChange) return app.handle(request, origin);
      try {
        await shared.look();
        const response = await app.handle(request, origin);
        const replaced = await shared.look();
        if (replaced.length === 0 || !response.ok) return response;
        shared.dropAsides(replaced);
        return app.fail(changedElsewhere(replaced));
      } catch (thrown) {
        return app.fail(thrown);
      }
    },
  };
}

const changedElsewhere = (paths: readonly string[]) =>
  new AppError(
    "conflict",
    "changed_elsewhere",
    `Another node changed ${paths.join(", ")} at the same time.`,
    {
      details: { hint: "Look at its change, then repeat yours." },
    },
  );
