import { SegmentedControl } from "@mantine/core";
import { useState } from "react";
import { Panel } from "../../parts/layout/panel.tsx";
import { JsonView } from "../../parts/text/json-view.tsx";
import { useSession } from "../../session/session.tsx";
import { agentCallTexts as texts } from "../../texts/studio/agents.ts";

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

export const callLanguages = ["curl", "typescript", "python", "openai"] as const;
export type CallLanguage = (typeof callLanguages)[number];

interface CallTarget {
  agent: string;
  /** Absent if the daemon has another address than this page. */
  origin: string | undefined;
  needsToken: boolean;
}

/** Returns code that calls an agent, ready to paste. The user replaces `<token>` and `<daemon>`. */
export function callSnippet(language: CallLanguage, { agent, origin, needsToken }: CallTarget): string {
  const base = origin ?? "http://<daemon>";
  const url = `${base}/v1/agents/${encodeURIComponent(agent)}/run`;
  switch (language) {
    case "curl":
      return [
        `curl ${url}`,
        ...(needsToken ? ['-H "Authorization: Bearer <token>"'] : []),
        '-H "Content-Type: application/json"',
        `-d '{"query": "Hello"}'`,
      ].join(" \\\n  ");
    case "typescript":
      return [
        `const response = await fetch("${url}", {`,
        '  method: "POST",',
        `  headers: { ${needsToken ? 'Authorization: "Bearer <token>", ' : ""}"Content-Type": "application/json" },`,
        '  body: JSON.stringify({ query: "Hello" }),',
        "});",
        "if (!response.ok) throw new Error(await response.text());",
        "const run = await response.json();",
        "console.log(run.response);",
      ].join("\n");
    case "python":
      return [
        "import json",
        "from urllib.request import Request, urlopen",
        "",
        "request = Request(",
        `    "${url}",`,
        '    data=json.dumps({"query": "Hello"}).encode(),',
        `    headers={${needsToken ? '"Authorization": "Bearer <token>", ' : ""}"Content-Type": "application/json"},`,
        ")",
        "with urlopen(request) as response:",
        '    print(json.load(response)["response"])',
      ].join("\n");
    case "openai":
      return [
        "from openai import OpenAI",
        "",
        `client = OpenAI(base_url="${base}/v1", api_key="${needsToken ? "<token>" : "unused"}")`,
        "answer = client.chat.completions.create(",
        `    model="agent/${agent}",`,
        '    messages=[{"role": "user", "content": "Hello"}],',
        ")",
        "print(answer.choices[0].message.content)",
      ].join("\n");
  }
}
