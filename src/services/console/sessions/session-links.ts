import { randomBytes } from "node:crypto";
import type { ConsoleLink } from "../../../contracts/console/session.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { Clock } from "../../../kit/clock.ts";
import { LatestMap } from "../../../kit/latest-map.ts";
import { digest } from "./grants.ts";

/** Single-use links that sign in this machine's owner. */
export interface SessionLinks {
  issue(): { token: string; expiresAt: Date };
  /** Uses a link. Throws AppError `unauthorized` if it is unknown, used or expired. */
  redeem(token: string): void;
}

const linkMs = 10 * 60_000;
const linksMax = 100;

/** Creates a link. Browsers never send the part after `#`. */
export function issueLink(links: SessionLinks, url: string): ConsoleLink {
  const { token, expiresAt } = links.issue();
  return { url: `${url}/#open=${token}`, expires_at: expiresAt.toISOString() };
}

export function createSessionLinks(clock: Clock): SessionLinks {
  // By hash. All links last equally long, so the first one expires first.
  const endsAtMs = new LatestMap<string, number>(linksMax);
  return {
    issue() {
      const token = randomBytes(32).toString("base64url");
      const expiresAt = new Date(clock.now().getTime() + linkMs);
      endsAtMs.set(digest(token), expiresAt.getTime());
      return { token, expiresAt };
    },
    redeem(token) {
      const hash = digest(token);
      const endMs = endsAtMs.get(hash);
      endsAtMs.delete(hash);
      if (endMs !== undefined && clock.now().getTime() < endMs) return;
      throw new AppError("unauthorized", "link_used", "This link was used before, or is too old.", {
        details: { hint: "`argosy console` prints another." },
      });
    },
  };
}
