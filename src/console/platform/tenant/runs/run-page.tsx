import { Button, VisuallyHidden } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState, useSyncExternalStore } from "react";
import { useParams } from "wouter";
import type { PlatformFrame } from "../../../../contracts/platform/clients/run-client.ts";
import { streamRun } from "../../../api/run-stream.ts";
import { useUrlState } from "../../../parts/address/use-url-state.ts";
import { PageHeader } from "../../../parts/layout/page-header.tsx";
import { EmptyState } from "../../../parts/states/empty-state.tsx";
import { parseContext } from "../../../runs/parse-context.ts";
import { useAutoScroll } from "../../../runs/use-auto-scroll.ts";
import { runTexts as texts } from "../../../texts/platform/tenant-runs.ts";
import { runPartTexts } from "../../../texts/runs.ts";
import { usePlatform } from "../../use-platform.ts";
import { type TenantPageProps, tenantPage } from "../tenant-page.tsx";
import { tenantPaths } from "../tenant-paths.ts";
import { openRun } from "./open-run.ts";
import { RunComposer } from "./run-composer.tsx";
import { RunOptions } from "./run-options.tsx";
import { createThread } from "./run-thread.ts";
import { TurnView } from "./turn-view.tsx";

export default tenantPage(RunPage, "runs");

function RunPage({ tenant }: TenantPageProps) {
  const { name = "" } = useParams<{ name: string }>();
  const [session, setSession] = useUrlState("session");
  const [context, setContext] = useState("");
  const { thread, turns } = useThread({ tenantId: tenant.id, agent: name, sessionKnown: setSession });
  const { follow } = useAutoScroll(turns.length === 0 ? undefined : turns);
  const last = turns.at(-1)?.run.state.phase;
  const read = parseContext(context);
  const isWaiting = last === "waiting";
  const fault =
    "fault" in read ? runPartTexts.contextFaults[read.fault] : isWaiting ? texts.decideFirst : undefined;
  return (
    <>
      <PageHeader
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
      </PageHeader>
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
              decide={(tool, verdict, request) => thread.decide(turn.key, tool, verdict, request)}
            />
          ))}
          <VisuallyHidden aria-live="polite">{last === undefined ? "" : texts.phases[last]}</VisuallyHidden>
          <RunComposer
            isRunning={last === "running"}
            fault={fault}
            ask={(query) => {
              if ("fault" in read) return;
              thread.ask({
                query,
                ...read,
                ...(session === "" ? {} : { session_id: session }),
                // What is tried here must not reach the prompts of other runs.
                remember: "conversation",
              });
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

interface ThreadWishes {
  tenantId: string;
  agent: string;
  /** Called with the session that a run started or continued. */
  sessionKnown: (sessionId: string) => void;
}

/** Runs of one page; leaving the page stops the current run. */
function useThread({ tenantId, agent, sessionKnown }: ThreadWishes) {
  const platform = usePlatform(tenantId);
  const queries = useQueryClient();
  const known = useRef(sessionKnown);
  known.current = sessionKnown;
  const [thread] = useState(() =>
    createThread({
      // Whoever asks here wants to see later what was asked, and why the agent answered so.
      ask: (request, signal) =>
        openRun(
          platform,
          streamRun<PlatformFrame>,
          agent,
          { ...request, trace_content: true, source: "playground" },
          signal,
        ),
      decide: (id, verdict, request, signal) => platform.streamDecision(id, verdict, request, signal),
      schedule: (flush) => void requestAnimationFrame(flush),
      nowMs: () => performance.now(),
      settled({ sessionId }) {
        if (sessionId !== undefined) known.current(sessionId);
        void queries.invalidateQueries({ queryKey: ["platform", tenantId] });
      },
    }),
  );
  useEffect(() => thread.stop, [thread]);
  const turns = useSyncExternalStore(thread.subscribe, thread.read, thread.read);
  return { thread, turns };
}
