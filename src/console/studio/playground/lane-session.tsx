import { Anchor } from "@mantine/core";
import { Link } from "wouter";
import { CopyButton } from "../../parts/copy-button.tsx";
import { playTexts as texts } from "../../texts/studio-runs.ts";

/** The session of a column's questions. */
export function LaneSession({ agent, session }: { agent: string; session: string }) {
  return (
    <div className="ar-lane-session ar-soft">
      <span>{texts.session}</span>
      {session === "" ? (
        <span>{texts.noSession}</span>
      ) : (
        <>
          <span className="ar-mono ar-clip">{session}</span>
          <CopyButton value={session} label={texts.copySession} />
          <Anchor
            component={Link}
            size="sm"
            href={`/studio/memory/${encodeURIComponent(agent)}/${encodeURIComponent(session)}`}
          >
            {texts.sessionMemory}
          </Anchor>
        </>
      )}
    </div>
  );
}
