import { Elysia } from "elysia";
import {
  type ManifestVersion,
  ManifestVersionDetail,
  ManifestVersionList,
} from "../../../../contracts/daemon/agent-versions.ts";
import { AgentDetail } from "../../../../contracts/daemon/agents.ts";
import type { RunPorts } from "../../../../engine/run/run.ts";
import { IfMatch, matchIn } from "../../../../http/entity-tag.ts";
import { jsonRoutes } from "../../../../http/route-plugins.ts";
import { AppError } from "../../../../kit/app-error.ts";
import { senderIn } from "../../manifests/read-sent.ts";
import type { AgentCatalog } from "../agent-catalog.ts";
import { type ChangeDeps, originIn, replaceAgent } from "../change-agents.ts";
import { presentDetail } from "../present-agent.ts";
import { manifestTag } from "../read-manifest.ts";
import type { ManifestHistory } from "./manifest-history.ts";
import type { ListedManifest } from "./store.ts";

export interface HistoryRoutesDeps extends ChangeDeps {
  catalog: AgentCatalog;
  runs: RunPorts;
  history: ManifestHistory;
}

const tags = ["agents"];

/** Routes for the earlier manifests of agents. */
export const historyRoutes = (deps: HistoryRoutesDeps) => {
  const { catalog, history } = deps;
  const { maskKnown } = deps.runs;
  return new Elysia({ prefix: "/v1/agents/:name/versions" })
    .use(jsonRoutes())
    .get(
      "",
      async ({ params: { name } }) => {
        const checksum = history.checksumOf(await catalog.getEntry(name));
        const versions = await history.list(name);
        return {
          versions: versions.map((version, index) => present(version, index === 0 ? checksum : undefined)),
        };
      },
      {
        response: ManifestVersionList,
        detail: {
          tags,
          operationId: "listManifestVersions",
          summary: "Lists the versions of an agent's manifest, newest first",
          description:
            "Each manifest that the daemon loaded and could run is a version. The newest 50 of an agent are kept, up to 4 MiB in all. Deleting the agent deletes them.",
        },
      },
    )
    .get(
      "/:number",
      async ({ params: { name, number } }) => {
        const checksum = history.checksumOf(await catalog.getEntry(name));
        const { text, ...version } = await history.get(name, numberIn(number));
        return { ...present(version, checksum), manifest: text };
      },
      {
        response: ManifestVersionDetail,
        detail: { tags, operationId: "getManifestVersion", summary: "Returns a version with its manifest" },
      },
    )
    .post(
      "/:number/restore",
      async ({ params: { name, number }, call, request, set }) => {
        const match = matchIn(request.headers);
        await catalog.getEntry(name);
        const { text, masked } = await history.get(name, numberIn(number));
        if (masked) throw versionMasked(name, number);
        const { entry } = await replaceAgent(deps, name, { format: "yaml", text }, senderIn(call), {
          origin: originIn(call),
          admit: (present) =>
            match(present?.text === undefined ? undefined : manifestTag(present, maskKnown)),
        });
        set.headers.etag = manifestTag(entry, maskKnown);
        return presentDetail(catalog, entry);
      },
      {
        headers: IfMatch,
        response: AgentDetail,
        detail: {
          tags,
          operationId: "restoreManifestVersion",
          summary: "Saves an earlier version as the agent's manifest",
          description:
            "The manifest passes the same checks as one that is sent with `PUT /v1/agents/{name}`, and becomes a new version.",
        },
      },
    );
};

const present = (
  { number, at, origin, checksum, bytes, masked }: ListedManifest,
  current: string | undefined,
): ManifestVersion => ({
  number,
  at: at.toISOString(),
  origin,
  checksum,
  bytes,
  masked,
  current: checksum === current,
});

function numberIn(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new AppError(
    "invalid",
    "invalid_request",
    `number must be a version's number, got ${JSON.stringify(text)}.`,
  );
}

const versionMasked = (name: string, number: string) =>
  new AppError(
    "conflict",
    "version_masked",
    `Version ${number} of ${name} had secrets that the history masks, so it can't be restored as it was.`,
    { details: { hint: "Copy its text, enter the secrets or refer to variables, and save it." } },
  );
