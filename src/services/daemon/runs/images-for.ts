import type { RunImage } from "../../../contracts/platform/runs/runs.ts";
import type { RunnableAgent } from "../../../engine/agents/runnable-agent.ts";
import { seesImages } from "../../../engine/models/sees-images.ts";
import type { EngineRequest } from "../../../engine/run-state/run-request.ts";

/** Images for an agent that sees. For another, the query names them. An agent of another node is undefined, and may see. */
export function imagesFor(
  agent: RunnableAgent | undefined,
  images: readonly RunImage[] | undefined,
): Pick<EngineRequest, "images"> {
  if (images === undefined || images.length === 0) return {};
  if (agent !== undefined && !agent.candidates.some(seesImages)) return {};
  return { images: images.map(({ media_type: mediaType, data }) => ({ mediaType, data })) };
}
