import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { RunOverride } from "../../../../contracts/daemon/runs/run-override.ts";
import { SaveDialog } from "../../../builder/editor/save-dialog.tsx";
import { notify } from "../../../parts/notices.tsx";
import { Loaded } from "../../../parts/states/loaded.tsx";
import { builderTexts as texts } from "../../../texts/builder.ts";
import { conflictTexts } from "../../../texts/conflict.ts";
import { useDaemon } from "../../use-daemon.ts";
import { applyOverride } from "./apply-override.ts";

interface ApplyViewProps {
  agent: string;
  override: RunOverride;
  applied: () => void;
  close: () => void;
}

/** Shows the agent's manifest with a column's values as a diff, and saves it. */
export default function ApplyView({ agent, override, applied, close }: ApplyViewProps) {
  const daemon = useDaemon();
  const queries = useQueryClient();
  const query = useQuery({
    queryKey: ["daemon", "agents", agent, "manifest", "to apply"],
    queryFn: () => daemon.readManifest(agent),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  return (
    <Loaded query={query} rows={1}>
      {({ value, tag }) => {
        const text = applyOverride(value, override);
        return (
          <SaveDialog
            action={{ title: texts.saveAction }}
            name={agent}
            stored={value}
            text={text}
            onClose={close}
            onSave={async () => {
              await daemon.replaceAgent(agent, text, tag);
              await queries.invalidateQueries({ queryKey: ["daemon", "agents"] });
              notify(texts.saved);
              applied();
            }}
            onConflict={() => {
              notify(conflictTexts.again);
              void query.refetch();
            }}
          />
        );
      }}
    </Loaded>
  );
}
