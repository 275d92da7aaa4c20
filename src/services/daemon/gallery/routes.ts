import { Elysia } from "elysia";
import bulletin from "../../../../agents/bulletin.agent.yaml" with { type: "text" };
import concierge from "../../../../agents/concierge.agent.yaml" with { type: "text" };
import errand from "../../../../agents/errand.agent.yaml" with { type: "text" };
import hello from "../../../../agents/hello.agent.yaml" with { type: "text" };
import logbook from "../../../../agents/logbook.agent.yaml" with { type: "text" };
import lookout from "../../../../agents/lookout.agent.yaml" with { type: "text" };
import notekeeper from "../../../../agents/notekeeper.agent.yaml" with { type: "text" };
import privateData from "../../../../agents/private.agent.yaml" with { type: "text" };
import reception from "../../../../agents/reception.agent.yaml" with { type: "text" };
import scratchpad from "../../../../agents/scratchpad.agent.yaml" with { type: "text" };
import shaper from "../../../../agents/shaper.agent.yaml" with { type: "text" };
import support from "../../../../agents/support.agent.yaml" with { type: "text" };
import timekeeper from "../../../../agents/timekeeper.agent.yaml" with { type: "text" };
import { Gallery } from "../../../contracts/daemon/gallery.ts";
import { jsonRoutes } from "../../../http/route-plugins.ts";
import type { AgentCatalog } from "../agents/agent-catalog.ts";
import type { AgentLibrary } from "../agents/agent-library.ts";
import localFirst from "./local-first.agent.yaml" with { type: "text" };
import { type SampleAgent, sampleAgent } from "./sample-agent.ts";

/** Manifests of the agents shipped with Argosy, sorted by name. */
const sampleManifests: readonly string[] = [
  bulletin,
  concierge,
  errand,
  hello,
  localFirst,
  logbook,
  lookout,
  notekeeper,
  privateData,
  reception,
  scratchpad,
  shaper,
  support,
  timekeeper,
];

export interface GalleryDeps {
  catalog: AgentCatalog;
  library: AgentLibrary;
}

export const galleryRoutes = ({ catalog, library }: GalleryDeps) => {
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
        summary: "Lists the sample agents",
      },
    },
  );
};
