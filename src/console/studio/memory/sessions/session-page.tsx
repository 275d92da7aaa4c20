import { Button } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useLocation } from "wouter";
import { usePathParts } from "../../../parts/address/path-parts.ts";
import { Confirm } from "../../../parts/dialogs/confirm.tsx";
import { PageHeader } from "../../../parts/layout/page-header.tsx";
import { notify } from "../../../parts/notices.tsx";
import { CopyButton } from "../../../parts/text/copy-button.tsx";
import { memoryTexts, sessionTexts as texts } from "../../../texts/studio/resources.ts";
import { useDaemon } from "../../use-daemon.ts";
import { ContextPanel } from "../context/context-panel.tsx";
import { MemoryExport } from "../memory-export.tsx";
import { memoryKeys, memoryPaths } from "../memory-paths.ts";
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
      <PageHeader
        title={session}
        lead={texts.lead(agent)}
        up={{ href: memoryPaths.of(agent), label: memoryTexts.of(agent) }}
        mark={<CopyButton value={session} label={texts.copyId} />}
      >
        <MemoryExport agent={agent} session={session} />
        <Button variant="default" className="ar-danger" onClick={() => setForgetting(true)}>
          {texts.forget}
        </Button>
      </PageHeader>
      <div className="ar-columns">
        <MessageList agent={agent} session={session} />
        <ContextPanel agent={agent} session={session} />
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
          notify(texts.forgotten(gone.messages, gone.texts, gone.episodes));
          queries.removeQueries({ queryKey: memoryKeys.history(agent, session) });
          await queries.invalidateQueries({ queryKey: memoryKeys.sessions(agent) });
          go(memoryPaths.of(agent));
        }}
      />
    </>
  );
}
