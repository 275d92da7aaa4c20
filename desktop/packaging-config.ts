import { type PackagingTarget, targetName } from "./packaging-target.ts";

/** Settings of electron-builder, as far as they are changed here. */
export interface PackagingSettings extends Record<string, unknown> {
  publish?: unknown;
  directories?: object;
}

/**
 * Returns electron-builder's settings with the distributor's addresses. Without ARGOSY_UPDATE_URL, the package has no update feed. Throws
 * if a variable is missing or not valid. Each system and architecture has its own folder and its own feed below that address: their files
 * have the same names, and an update for the other processor would not start.
 */
export function packagingConfig(
  { publish, directories, ...settings }: PackagingSettings,
  target: PackagingTarget,
  environment: Readonly<Record<string, string | undefined>>,
): PackagingSettings {
  const homepage = requireUrl("ARGOSY_HOMEPAGE", environment.ARGOSY_HOMEPAGE);
  const author = environment.ARGOSY_MAINTAINER ?? "";
  if (!/^[^<>]+ <[^<>@\s]+@[^<>@\s]+>$/.test(author)) {
    throw new Error(
      `ARGOSY_MAINTAINER must be a name with an e-mail address, such as "Jo Doe <jo@example.org>", got ${JSON.stringify(author)}.`,
    );
  }
  const feed = environment.ARGOSY_UPDATE_URL;
  return {
    ...settings,
    directories: { ...directories, output: `out/${targetName(target)}` },
    extraMetadata: { homepage, author },
    publish: feed ? { ...(publish as object), url: feedUrl(feed, target) } : null,
  };
}

const feedUrl = (feed: string, target: PackagingTarget): string =>
  `${requireUrl("ARGOSY_UPDATE_URL", feed).replace(/\/+$/, "")}/${targetName(target)}`;

function requireUrl(variable: string, text: string | undefined): string {
  if (text !== undefined && URL.parse(text)?.protocol === "https:") return text;
  throw new Error(`${variable} must be an https:// address, got ${JSON.stringify(text ?? "")}.`);
}
