import { SegmentedControl } from "@mantine/core";
import { useState } from "react";
import { Panel } from "../../parts/layout/panel.tsx";
import { JsonView } from "../../parts/text/json-view.tsx";
import { useSession } from "../../session/session.tsx";
import { agentCallTexts as texts } from "../../texts/studio/agents.ts";
import { type CallLanguage, callLanguages, callSnippet } from "./call-snippets.ts";

/** Code samples that call the agent, one language at a time. */
export function AgentCall({ name }: { name: string }) {
  const { state } = useSession();
  const [language, setLanguage] = useState<CallLanguage>("curl");
  const origin = state.home === "daemon" ? location.origin : undefined;
  const needsToken = !state.ways.open;
  const code = callSnippet(language, { agent: name, origin, needsToken });
  return (
    <Panel title={texts.title}>
      <SegmentedControl
        size="xs"
        fullWidth
        aria-label={texts.language}
        value={language}
        data={callLanguages.map((value) => ({ value, label: texts.languages[value] }))}
        onChange={(value) => setLanguage(callLanguages.find((one) => one === value) ?? "curl")}
      />
      <JsonView value={code} label={texts.title} />
      {needsToken && <p className="ar-soft ar-flat">{texts.needsToken}</p>}
      {origin === undefined && <p className="ar-soft ar-flat">{texts.elsewhere}</p>}
    </Panel>
  );
}
