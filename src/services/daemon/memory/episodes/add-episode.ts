import type { NewEpisode } from "../../../../contracts/daemon/memory/episodes.ts";
import type { MemoryOwner } from "../../../../engine/memory/long-term-memory.ts";
import { requireInstant } from "../../../../http/read-instant.ts";
import { AppError } from "../../../../kit/app-error.ts";
import type { StoredEpisode } from "./store.ts";
import type { StoredEpisodes } from "./stored-episodes.ts";

const contextBytesMax = 16 * 1024;

/** Stores an episode from a caller. Throws AppError `invalid_request` for an invalid timestamp or a context that is too large. */
export async function addEpisode(
  episodes: StoredEpisodes,
  owner: MemoryOwner,
  {
    event_type,
    summary,
    context = {},
    outcome = "ok",
    timestamp,
    importance = 0.5,
    session_id,
    user,
  }: NewEpisode,
  now: Date,
): Promise<StoredEpisode> {
  if (Buffer.byteLength(JSON.stringify(context)) > contextBytesMax) {
    const message = `must be at most ${contextBytesMax / 1024} KiB as JSON`;
    throw new AppError("invalid", "invalid_request", `The body is not valid: context ${message}.`, {
      details: { problems: [{ path: "context", message }] },
    });
  }
  return episodes.add(owner, {
    event_type,
    summary,
    context,
    outcome,
    importance,
    at: timestamp === undefined ? now : requireInstant("timestamp", timestamp),
    sessionId: session_id ?? "",
    user: user ?? "",
  });
}
