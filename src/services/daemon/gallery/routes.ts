import { Elysia } from "elysia";
import { Gallery } from "../../../contracts/daemon/gallery.ts";
import { jsonRoutes } from "../../../http/route-plugins.ts";
import type { DaemonDeps } from "../deps.ts";
import { type SampleAgent, sampleAgent } from "./sample-agent.ts";
import { sampleManifests } from "./sample-manifests.ts";

export const galleryRoutes = ({ catalog, library }: DaemonDeps) => {
  // Parsed at the first request, so a daemon whose gallery is never used spends no memory on it.
  let samples: readonly SampleAgent[] | undefined;
  const read = () => sampleManifests.flatMap((text) => sampleAgent(library.kind, text) ?? []);
  return new Elysia().use(jsonRoutes()).get(
    "/v1/gallery",
    async () => {
      samples ??= read();
      const agents = samples.map((sample) => ({
        ...sample,
        loaded: catalog.findEntry(sample.name) !== undefined,
      }));
      return { agents };
    },
    {
      response: Gallery,
      detail: {
        tags: ["agents"],
        operationId: "listGallery",
        summary: "The agents that come with Argosy, to begin from",
      },
    },
  );
};
