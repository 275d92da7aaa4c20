import { lazy, Suspense, useEffect, useState } from "react";
import { noticeEvent } from "../parts/say.ts";
import { partTexts } from "../texts/parts.ts";

const NoticesView = lazy(() => import("./notices-view.tsx"));

/** Shows what pages say in passing. */
export function Notices() {
  const [isWanted, setWanted] = useState(false);
  useEffect(() => {
    const show = async (event: Event) => {
      setWanted(true);
      const { notifications } = await import("@mantine/notifications");
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
