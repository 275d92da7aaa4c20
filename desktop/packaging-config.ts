/** Settings of electron-builder, as far as they are changed here. */
export interface PackagingSettings extends Record<string, unknown> {
  publish?: unknown;
}

/**
 * Returns electron-builder's settings with the distributor's addresses. Without ARGOSY_UPDATE_URL, the package has no update feed. Throws
 * if a variable is missing or not valid.
 */
export function packagingConfig(
  { publish, ...settings }: PackagingSettings,
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
    extraMetadata: { homepage, author },
    publish: feed ? { ...(publish as object), url: requireUrl("ARGOSY_UPDATE_URL", feed) } : null,
  };
}

function requireUrl(variable: string, text: string | undefined): string {
  if (text !== undefined && URL.parse(text)?.protocol === "https:") return text;
  throw new Error(`${variable} must be an https:// address, got ${JSON.stringify(text ?? "")}.`);
}
