import type { ElectronApi, Frame, WebContents } from "./electron-api.ts";

/** Limits of all pages, independent of their content. */
export interface Guards {
  /** Restricts new web contents. */
  restrict(contents: WebContents): void;
  /** Throws if a message does not come from the console's own page. */
  requireOwnPage(frame: Frame | null): void;
}

export interface GuardOptions {
  /** Origin of the console's pages; undefined while no server runs. */
  origin: () => string | undefined;
  /** Shows a page of the console that asked for a window of its own. */
  open: (url: string) => void;
  shell: Pick<ElectronApi["shell"], "openExternal">;
}

/** The console copies texts to the clipboard; nothing else needs a permission. */
const permissions = ["clipboard-sanitized-write"];

export function createGuards({ origin, open, shell }: GuardOptions): Guards {
  const isOwn = (url: string) => {
    const own = origin();
    return own !== undefined && URL.parse(url)?.origin === own;
  };
  const openOutside = (url: string) => {
    const { protocol } = URL.parse(url) ?? {};
    if (protocol === "https:" || protocol === "http:" || protocol === "mailto:") void shell.openExternal(url);
  };
  const sessions = new WeakSet<object>();
  return {
    restrict(contents) {
      for (const event of ["will-navigate", "will-redirect"] as const)
        contents.on(event, (navigation, url) => {
          if (isOwn(url)) return;
          navigation.preventDefault();
          openOutside(url);
        });
      contents.setWindowOpenHandler(({ url }) => {
        if (isOwn(url)) open(url);
        else openOutside(url);
        return { action: "deny" };
      });
      contents.on("will-attach-webview", (attaching) => attaching.preventDefault());
      const { session } = contents;
      if (sessions.has(session)) return;
      sessions.add(session);
      session.setPermissionRequestHandler((_, permission, answer, { requestingUrl = "" }) =>
        answer(permissions.includes(permission) && isOwn(requestingUrl)),
      );
      session.setPermissionCheckHandler(
        (_, permission, requesting) => permissions.includes(permission) && isOwn(requesting),
      );
      session.setDevicePermissionHandler(() => false);
      session.webRequest.onBeforeRequest(({ url }, answer) =>
        answer({ cancel: !(isOwn(asHttp(url)) || isOfPage(url)) }),
      );
    },
    requireOwnPage(frame) {
      if (frame !== null && frame.parent === null && isOwn(frame.url)) return;
      throw new Error("Only the console's own page may ask this.");
    },
  };
}

/** A WebSocket has the same host and port as its page. */
const asHttp = (url: string) => url.replace(/^ws(s?):/, "http$1:");

const isOfPage = (url: string) => /^(data|blob|devtools):/.test(url);
