import { useQuery } from "@tanstack/react-query";
import { useDaemon } from "../../api/use-server.tsx";
import { playTexts as texts } from "../../texts/studio-runs.ts";

/** Messages of the session from before this page was opened, from the agent's memory. Renders nothing until they are loaded. */
export function EarlierTurns({ agent, session }: { agent: string; session: string }) {
  const daemon = useDaemon();
  const { data } = useQuery({
    queryKey: ["daemon", "memory", agent, "history", session, "earlier"],
    queryFn: () => daemon.history(agent, session, { limit: 100 }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  if (data === undefined || data.messages.length === 0) return <div />;
  return (
    <details className="ar-step ar-earlier" open>
      <summary>{texts.earlier(data.messages.length)}</summary>
      <ol>
        {data.messages.map(({ role, content }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: read once
          <li key={at}>
            <div className="ar-label">{texts.roles[role] ?? role}</div>
            <div className="ar-break">{content}</div>
          </li>
        ))}
      </ol>
    </details>
  );
}
