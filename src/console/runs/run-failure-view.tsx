import { useIsInBanner } from "../api/use-server.tsx";
import { FailureView } from "../parts/states/failure-view.tsx";
import { runPartTexts as texts } from "../texts/runs.ts";

/** Shows why a run failed; a note without a box if the banner about the unreachable server explains it. */
export function RunFailureView({ thrown, title }: { thrown: unknown; title: string }) {
  return useIsInBanner(thrown) ? (
    <p className="ar-mark ar-soft">{texts.cutOff}</p>
  ) : (
    <FailureView thrown={thrown} title={title} />
  );
}
