import { Alert } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { notify } from "../../parts/notices.tsx";
import { FailureView } from "../../parts/states/failure-view.tsx";
import { mcpTexts as texts } from "../../texts/studio/resources.ts";
import { useDaemon } from "../use-daemon.ts";
import { readLoginAnswer, takePendingLogin } from "./mcp-login.ts";

type Outcome = { failure: unknown } | { note: string };

/** Completes a sign-in that redirects to this page, and removes its parameters from the address. */
export function LoginReturn() {
  const daemon = useDaemon();
  const queries = useQueryClient();
  const [isFinishing, setFinishing] = useState(false);
  const [outcome, setOutcome] = useState<Outcome>();

  useEffect(() => {
    const answer = readLoginAnswer(new URLSearchParams(location.search));
    if (answer === undefined) return;
    history.replaceState(null, "", location.pathname);
    const pending = takePendingLogin(answer.state);
    if (pending === undefined) return setOutcome({ note: texts.lost });
    if ("refusal" in answer) return setOutcome({ note: texts.refused(answer.refusal) });
    const { agent, entry } = pending;
    setFinishing(true);
    void (async () => {
      try {
        const { server, message } = await daemon.finishMcpLogin(agent, entry, answer);
        if (server === "down") setOutcome({ note: texts.stillDown(message ?? "") });
        else notify(texts.signedIn(entry));
        await queries.invalidateQueries({ queryKey: ["daemon", "agent", agent] });
      } catch (thrown) {
        setOutcome({ failure: thrown });
      } finally {
        setFinishing(false);
      }
    })();
  }, [daemon, queries]);

  if (isFinishing) return <div role="status">{texts.finishing}</div>;
  if (outcome === undefined) return null;
  if ("failure" in outcome) return <FailureView title={texts.notFinished} thrown={outcome.failure} />;
  return (
    <Alert variant="outline" className="ar-warning" title={texts.notFinished}>
      <span className="ar-break">{outcome.note}</span>
    </Alert>
  );
}
