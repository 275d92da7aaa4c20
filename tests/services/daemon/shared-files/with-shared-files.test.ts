import { expect, test } from "bun:test";
import type { ServiceApp } from "../../../../src/http/service-app.ts";
import { AppError, toAppError } from "../../../../src/kit/app-error.ts";
import { withSharedFiles } from "../../../../src/services/daemon/shared-files/with-shared-files.ts";

/** An app whose requests and looks are noted in order. `looks` are the results of the looks. */
function appWith(...looks: (readonly string[] | AppError)[]) {
  const did: string[] = [];
  const app: ServiceApp = {
    name: "daemon",
    routes: () => [],
    prepare: () => undefined,
    handle({ method }) {
      did.push(method);
      return new Response("done");
    },
    fail(thrown) {
      const { status, code } = toAppError(thrown);
      return new Response(code, { status });
    },
  };
  const shared = {
    async look() {
      did.push("look");
      const found = looks.shift() ?? [];
      if (found instanceof AppError) throw found;
      return found;
    },
    dropAsides: (paths: readonly string[]) => void did.push(`drop ${paths.join()}`),
  };
  const wrapped = withSharedFiles(app, shared);
  return {
    did,
    async ask(method: string, path: string) {
      const answer = await wrapped.handle(new Request(`http://localhost${path}`, { method }), {
        address: "",
      } as never);
      return [answer.status, await answer.text()];
    },
  };
}

test.each([
  ["POST", "/v1/agents", true],
  ["PUT", "/v1/agents/helper", true],
  ["POST", "/v1/agents/helper/pause", true],
  ["POST", "/v1/agents/helper/canary", true],
  ["POST", "/v1/agents/helper/versions/3/restore", true],
  ["DELETE", "/v1/rag/pipelines/docs", true],
  ["POST", "/v1/evals/words/cases", true],
  ["GET", "/v1/agents/helper", false],
  ["POST", "/v1/agents/helper/run", false],
  ["POST", "/v1/rag/query", false],
])("%s %s is between two looks: %p", async (method, path, isChange) => {
  const { ask, did } = appWith();
  expect(await ask(method, path)).toEqual([200, "done"]);
  expect(did).toEqual(isChange ? ["look", method, "look"] : [method]);
});

test("a change that another node made first is 409 changed_elsewhere, and its text is dropped", async () => {
  const { ask, did } = appWith([], ["agents/helper.agent.yaml"]);
  expect(await ask("PUT", "/v1/agents/helper")).toEqual([409, "changed_elsewhere"]);
  expect(did.at(-1)).toBe("drop agents/helper.agent.yaml");
});

test("without the database, a change is 503 before anything is written", async () => {
  const { ask, did } = appWith(new AppError("unavailable", "storage_unavailable", "It is away."));
  expect(await ask("PUT", "/v1/agents/helper")).toEqual([503, "storage_unavailable"]);
  expect(did).toEqual(["look"]);
});
