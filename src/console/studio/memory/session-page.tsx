import { Button } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useLocation } from "wouter";
import { useDaemon } from "../../api/use-server.tsx";
import { Confirm } from "../../parts/confirm.tsx";
import { CopyButton } from "../../parts/copy-button.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { say } from "../../parts/say.ts";
import { usePathParts } from "../../parts/use-path-parts.ts";
import { memoryTexts, sessionTexts as texts } from "../../texts/studio-parts.ts";
import { ContextWindow } from "./context-window.tsx";
import { MemoryExport } from "./memory-export.tsx";
import { memoryKeys, memoryPaths } from "./memory-paths.ts";
import { MessageList } from "./message-list.tsx";

/** One conversation: its messages, and the context that a model would get. */
export default function SessionPage() {
  const [, , agent = "", session = ""] = usePathParts();
  const daemon = useDaemon();
  const queries = useQueryClient();
  const [, go] = useLocation();
  const [isForgetting, setForgetting] = useState(false);
  return (
    <>
      <PageHead
        title={session}
        lead={texts.lead(agent)}
        up={{ href: memoryPaths.of(agent), label: memoryTexts.of(agent) }}
        mark={<CopyButton value={session} label={texts.copyId} />}
      >
        <MemoryExport agent={agent} session={session} />
        <Button variant="default" className="ar-danger" onClick={() => setForgetting(true)}>
          {texts.forget}
        </Button>
      </PageHead>
      <div className="ar-columns">
        <MessageList agent={agent} session={session} />
        <ContextWindow agent={agent} session={session} />
      </div>
      <Confirm
        opened={isForgetting}
        title={texts.forgetTitle(session)}
        text={texts.forgetText}
        action={texts.forget}
        typed={session}
        onClose={() => setForgetting(false)}
        onConfirm={async () => {
          const gone = await daemon.forgetSession(agent, session);
          say(texts.forgotten(gone.messages, gone.texts, gone.episodes));
          queries.removeQueries({ queryKey: memoryKeys.history(agent, session) });
          await queries.invalidateQueries({ queryKey: memoryKeys.sessions(agent) });
          go(memoryPaths.of(agent));
        }}
      />
    </>
  );
}
