import { lazy, Suspense, useEffect, useState } from "react";
import { partTexts } from "../texts/parts.ts";

const NoticesView = lazy(() => import("./notices-view.tsx"));

/** Event for `Notices`, which loads the code that shows notices with the first one. */
const noticeEvent = "argosy-notice";

/** Shows a short notice of a completed action at the edge of the window. */
export function notify(message: string): void {
  window.dispatchEvent(new CustomEvent<string>(noticeEvent, { detail: message }));
}

/** Shows the notices of all pages. */
export function Notices() {
  const [isWanted, setWanted] = useState(false);
  useEffect(() => {
    const show = async (event: Event) => {
      // Without a server, the code may not load; the banner then explains why.
      const code = await Promise.all([import("@mantine/notifications"), import("./notices-view.tsx")]).catch(
        () => undefined,
      );
      if (code === undefined) return;
      setWanted(true);
      const [{ notifications }] = code;
      notifications.show({
        message: (event as CustomEvent<string>).detail,
        autoClose: 3500,
        closeButtonProps: { "aria-label": partTexts.close },
      });
    };
    window.addEventListener(noticeEvent, show);
    return () => window.removeEventListener(noticeEvent, show);
  }, []);
  return isWanted ? (
    <Suspense>
      <NoticesView />
    </Suspense>
  ) : null;
}
