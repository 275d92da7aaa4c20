import { Alert, Button, Select, Stack, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import type { ToolExecuted } from "../../../contracts/daemon/tools.ts";
import { useUrlState } from "../../parts/address/use-url-state.ts";
import { Icon } from "../../parts/icon.tsx";
import { Panel } from "../../parts/layout/panel.tsx";
import { SchemaForm } from "../../parts/schema-form/schema-form.tsx";
import { checkInput } from "../../parts/schema-form/schema-form-check.ts";
import { initialValue, type UnreadableJson } from "../../parts/schema-form/schema-form-value.ts";
import { FailureView } from "../../parts/states/failure-view.tsx";
import { formatDuration } from "../../parts/text/format.ts";
import { JsonView } from "../../parts/text/json-view.tsx";
import { StatusBadge } from "../../parts/text/status-badge.tsx";
import { toolTexts as texts } from "../../texts/studio/resources.ts";
import { useDaemon } from "../use-daemon.ts";
import { effectOf, type KnownTool } from "./merge-tools.ts";

const anyInput = { type: "object" };

/** Runs a tool by hand, with the settings of an agent that has it. */
export function ToolTrial({ tool }: { tool: KnownTool }) {
  const daemon = useDaemon();
  const { name, agents, isBuiltin, parameters = anyInput } = tool;
  const [chosen, choose] = useUrlState("agent");
  const [session, setSession] = useState("");
  const [input, setInput] = useState<Record<string, unknown> | UnreadableJson>(() =>
    initialValue(parameters),
  );
  const [isTried, setTried] = useState(false);
  const agent = agents.includes(chosen) ? chosen : isBuiltin ? "" : (agents[0] ?? "");
  const faults = checkInput(parameters, input);
  const isFaulty = Object.keys(faults).length > 0;
  const running = useMutation({
    mutationFn: () =>
      daemon.executeTool({
        tool: name,
        input: input as Record<string, unknown>,
        trace_content: true,
        source: "playground",
        ...(agent === "" ? {} : { agent }),
        ...(session === "" ? {} : { session_id: session }),
      }),
  });
  const effect = effectOf(tool);
  return (
    <div className="ar-columns">
      <Panel title={texts.tryIt}>
        <form
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            setTried(true);
            if (!isFaulty) running.mutate();
          }}
        >
          <Stack gap="sm">
            {effect !== undefined && (
              <Alert variant="outline" className="ar-warning" icon={<Icon name="warn" />}>
                {texts.warning} {effect}
              </Alert>
            )}
            {agents.length > 0 && (
              <Select
                label={texts.as}
                allowDeselect={false}
                searchable={agents.length > 8}
                data={[
                  ...(isBuiltin ? [{ value: "", label: texts.noAgent }] : []),
                  ...agents.map((value) => ({ value, label: value })),
                ]}
                value={agent}
                onChange={(value) => choose(value ?? "")}
              />
            )}
            <SchemaForm
              schema={parameters}
              value={input}
              onChange={setInput}
              faults={isTried ? faults : {}}
            />
            <TextInput
              label={texts.session}
              description={texts.sessionHint}
              maxLength={255}
              value={session}
              onChange={(event) => setSession(event.currentTarget.value)}
            />
            <div className="ar-tool-run">
              <Button type="submit" loading={running.isPending}>
                {texts.run}
              </Button>
              {isTried && isFaulty && <span role="status">{texts.fix}</span>}
            </div>
          </Stack>
        </form>
      </Panel>
      <div className="ar-stack">
        <Panel title={texts.result}>
          <div aria-live="polite">
            {running.isError && <FailureView thrown={running.error} />}
            {running.data === undefined && !running.isError && (
              <span className="ar-soft">{texts.noResult}</span>
            )}
            {running.data !== undefined && <ToolResultView executed={running.data} />}
          </div>
        </Panel>
        <Panel title={texts.schema}>
          <JsonView value={parameters} label={texts.schemaJson} />
        </Panel>
      </div>
    </div>
  );
}

/** The result of a tool, and its duration. */
function ToolResultView({ executed: { output, timing_ms, propuestas } }: { executed: ToolExecuted }) {
  return (
    <Stack gap="sm">
      <div className="ar-tool-run">
        <StatusBadge tone={output.success ? "good" : "bad"}>
          {output.success ? texts.ok : texts.failed}
        </StatusBadge>
        <span className="ar-soft">{texts.took(formatDuration(timing_ms))}</span>
      </div>
      {output.success ? (
        <JsonView value={output.data ?? null} label={texts.result} maxHeight={480} />
      ) : (
        <div className="ar-break">{output.error}</div>
      )}
      {propuestas !== undefined && propuestas.length > 0 && (
        <>
          <span>{texts.proposals}</span>
          <JsonView value={propuestas} label={texts.proposals} />
        </>
      )}
    </Stack>
  );
}
