import { Button, VisuallyHidden } from "@mantine/core";
import { useState } from "react";
import { useParams } from "wouter";
import { EmptyState } from "../../../parts/empty-state.tsx";
import { PageHead } from "../../../parts/page-head.tsx";
import { useUrlState } from "../../../parts/use-url-state.ts";
import { readContext } from "../../../runs/read-context.ts";
import { useFollowEnd } from "../../../runs/use-follow-end.ts";
import { runTexts as texts } from "../../../texts/platform-tenant-runs.ts";
import { runPartTexts } from "../../../texts/runs.ts";
import { type TenantPageProps, tenantPage } from "../tenant-page.tsx";
import { tenantPaths } from "../tenant-paths.ts";
import { RunComposer } from "./run-composer.tsx";
import { RunOptions } from "./run-options.tsx";
import { TurnView } from "./turn-view.tsx";
import { useThread } from "./use-thread.ts";

export default tenantPage(RunPage);

function RunPage({ tenant }: TenantPageProps) {
  const { name = "" } = useParams<{ name: string }>();
  const [session, setSession] = useUrlState("session");
  const [context, setContext] = useState("");
  const { thread, turns } = useThread({ tenantId: tenant.id, agent: name, sessionKnown: setSession });
  const { follow } = useFollowEnd(turns.length === 0 ? undefined : turns);
  const last = turns.at(-1)?.run.told.phase;
  const read = readContext(context);
  const isWaiting = last === "waiting";
  const fault =
    "fault" in read ? runPartTexts.contextFaults[read.fault] : isWaiting ? texts.decideFirst : undefined;
  return (
    <>
      <PageHead
        title={texts.title(name)}
        lead={texts.lead}
        up={{ href: tenantPaths(tenant.id).agent(name), label: name }}
      >
        <Button
          variant="default"
          disabled={turns.length === 0 && session === ""}
          onClick={() => {
            thread.clear();
            setSession("");
          }}
        >
          {texts.restart}
        </Button>
      </PageHead>
      <div className="ar-tn-run-page">
        <div className="ar-stack">
          {turns.length === 0 && <EmptyState text={session === "" ? texts.empty : texts.emptySession} />}
          {turns.map((turn) => (
            <TurnView
              key={turn.key}
              tenantId={tenant.id}
              agent={name}
              turn={turn}
              grown={follow}
              decide={(tool, verdict, comment) => thread.decide(turn.key, tool, verdict, comment)}
            />
          ))}
          <VisuallyHidden aria-live="polite">{last === undefined ? "" : texts.phases[last]}</VisuallyHidden>
          <RunComposer
            isRunning={last === "running"}
            fault={fault}
            ask={(query) => {
              if ("fault" in read) return;
              thread.ask({ query, ...read, ...(session === "" ? {} : { session_id: session }) });
            }}
            stop={thread.stop}
          />
        </div>
        <RunOptions
          tenantId={tenant.id}
          session={session}
          setSession={setSession}
          context={context}
          setContext={setContext}
        />
      </div>
    </>
  );
}
