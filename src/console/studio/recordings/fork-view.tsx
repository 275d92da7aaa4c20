import { Alert, Autocomplete, Button, Select, Switch } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Cassette } from "../../../contracts/daemon/cassettes/cassette-file.ts";
import { Icon } from "../../parts/icon.tsx";
import { Panel } from "../../parts/layout/panel.tsx";
import { FailureView } from "../../parts/states/failure-view.tsx";
import { recordingTexts as texts } from "../../texts/studio/runs.ts";
import { useDaemon } from "../use-daemon.ts";
import { ForkResult } from "./fork-result.tsx";

interface ForkViewProps {
  id: string;
  cassette: Cassette;
  /** Number of replayed model calls, from the address. */
  from: string;
  setFrom: (from: string) => void;
}

/** Replays a recorded run and continues it live after a call, optionally with another model. Shows both answers. */
export function ForkView({ id, cassette, from, setFrom }: ForkViewProps) {
  const daemon = useDaemon();
  const queries = useQueryClient();
  const calls = cassette.entries.filter(({ kind }) => kind === "model").length;
  const played = Math.min(calls, Math.max(0, Math.trunc(Number(from)) || 0));
  const [model, setModel] = useState("");
  const [live, setLive] = useState(false);
  const [record, setRecord] = useState(true);
  const providers = useQuery({ queryKey: ["daemon", "providers"], queryFn: daemon.listProviders });
  const models = (providers.data?.providers ?? []).flatMap(({ name, models: known }) =>
    known.map((entry) => `${name}/${entry.model}`),
  );
  const fork = useMutation({
    mutationFn: () =>
      daemon.replayCassette(id, {
        from: played,
        ...(model.trim() === "" ? {} : { model: model.trim() }),
        ...(live ? { live_tools: true } : {}),
        ...(record ? { record: true } : {}),
      }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ["daemon", "cassettes", "list"] }),
  });
  return (
    <div className="ar-stack">
      <Panel title={texts.fork}>
        <p className="ar-soft ar-flat">{texts.forkHint}</p>
        <div className="ar-form-row">
          <Select
            label={texts.from}
            data={Array.from({ length: calls + 1 }, (_, call) => ({
              value: String(call),
              label: call === 0 ? texts.fromStart : texts.fromCall(call),
            }))}
            value={String(played)}
            onChange={(value) => setFrom(value === "0" ? "" : (value ?? ""))}
            allowDeselect={false}
          />
          <Autocomplete
            label={texts.model}
            placeholder={texts.ownModel}
            data={models}
            value={model}
            onChange={setModel}
            limit={30}
          />
        </div>
        <div className="ar-form-row">
          <Switch
            label={texts.liveTools}
            checked={live}
            onChange={(event) => setLive(event.currentTarget.checked)}
          />
          <Switch
            label={texts.record}
            checked={record}
            onChange={(event) => setRecord(event.currentTarget.checked)}
          />
          <Button loading={fork.isPending} onClick={() => fork.mutate()}>
            {texts.forkIt}
          </Button>
        </div>
        {live && (
          <Alert variant="outline" icon={<Icon name="warn" />} className="ar-warning" mt="sm" role="note">
            {texts.liveToolsWarning}
          </Alert>
        )}
      </Panel>
      {fork.isError && <FailureView thrown={fork.error} />}
      {fork.data?.mode === "fork" && <ForkResult report={fork.data} />}
    </div>
  );
}
