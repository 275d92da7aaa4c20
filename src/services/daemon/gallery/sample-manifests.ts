import bulletin from "../../../../agents/bulletin.agent.yaml" with { type: "text" };
import concierge from "../../../../agents/concierge.agent.yaml" with { type: "text" };
import errand from "../../../../agents/errand.agent.yaml" with { type: "text" };
import hello from "../../../../agents/hello.agent.yaml" with { type: "text" };
import localFirst from "../../../../agents/local-first.agent.yaml" with { type: "text" };
import logbook from "../../../../agents/logbook.agent.yaml" with { type: "text" };
import lookout from "../../../../agents/lookout.agent.yaml" with { type: "text" };
import notekeeper from "../../../../agents/notekeeper.agent.yaml" with { type: "text" };
import privateData from "../../../../agents/private.agent.yaml" with { type: "text" };
import reception from "../../../../agents/reception.agent.yaml" with { type: "text" };
import scratchpad from "../../../../agents/scratchpad.agent.yaml" with { type: "text" };
import shaper from "../../../../agents/shaper.agent.yaml" with { type: "text" };
import support from "../../../../agents/support.agent.yaml" with { type: "text" };
import timekeeper from "../../../../agents/timekeeper.agent.yaml" with { type: "text" };

/** Manifests of the agents shipped with Argosy, sorted by name. */
export const sampleManifests: readonly string[] = [
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
