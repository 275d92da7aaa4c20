import { useQuery } from "@tanstack/react-query";
import { Dialog } from "../../parts/dialogs/dialog.tsx";
import { EmptyState } from "../../parts/states/empty-state.tsx";
import { Loaded } from "../../parts/states/loaded.tsx";
import { formatInstant } from "../../parts/text/format.ts";
import { evalTexts as texts } from "../../texts/studio/evals.ts";
import { useDaemon } from "../use-daemon.ts";
import { CellsSideBySide } from "./cells-dialog.tsx";
import { evalKeys } from "./eval-keys.ts";

interface CaseHistoryProps {
  name: string;
  id: string;
  close: () => void;
}

/** What was answered to a case, run by run, newest first. */
export function CaseHistory({ name, id, close }: CaseHistoryProps) {
  const daemon = useDaemon();
  const query = useQuery({
    queryKey: [...evalKeys.cases(name), id, "history"],
    queryFn: () => daemon.getEvalCaseHistory(name, id),
  });
  return (
    <Dialog opened onClose={close} size="90%" title={texts.historyOf(id)}>
      <Loaded query={query}>
        {({ runs }) =>
          runs.length === 0 ? (
            <EmptyState text={texts.noHistory} />
          ) : (
            <CellsSideBySide
              cells={runs.flatMap(({ run, cells }) =>
                cells.map((cell) => ({
                  ...cell,
                  run: run.id,
                  title: [
                    formatInstant(run.started_at),
                    ...(run.targets.length > 1 ? [cell.target] : []),
                  ].join(" · "),
                })),
              )}
            />
          )
        }
      </Loaded>
    </Dialog>
  );
}
