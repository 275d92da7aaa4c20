import { Text, TextInput } from "@mantine/core";
import { CodeEditor } from "../../../editor/code-editor.tsx";
import { Panel } from "../../../parts/layout/panel.tsx";
import { Loaded } from "../../../parts/states/loaded.tsx";
import { runTexts as texts } from "../../../texts/platform/tenant-runs.ts";
import { CreditMeter } from "../usage/credit-meter.tsx";
import { useUsage } from "../usage/use-usage.ts";

interface RunOptionsProps {
  tenantId: string;
  session: string;
  setSession: (id: string) => void;
  context: string;
  setContext: (text: string) => void;
}

/** Session and context of a question, and the remaining credits. */
export function RunOptions({ tenantId, session, setSession, context, setContext }: RunOptionsProps) {
  const usage = useUsage(tenantId);
  return (
    <div className="ar-stack">
      <Panel title={texts.sessionAndContext}>
        <TextInput
          label={texts.session}
          description={session === "" ? texts.newSession : texts.sessionHint}
          maxLength={255}
          value={session}
          onChange={(event) => setSession(event.currentTarget.value)}
        />
        <Text size="sm" fw={500} mt="sm">
          {texts.context}
        </Text>
        <Text size="xs" className="ar-soft" mb={4}>
          {texts.contextHint}
        </Text>
        <CodeEditor
          value={context}
          onChange={setContext}
          language="json"
          label={texts.context}
          minHeight={96}
          maxHeight={260}
        />
      </Panel>
      <Loaded query={usage} rows={2}>
        {({ credits }) => <CreditMeter credits={credits} />}
      </Loaded>
    </div>
  );
}
