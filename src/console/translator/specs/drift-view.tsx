import { Alert, Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { SpecReference } from "../../../contracts/translator/translation.ts";
import { Icon } from "../../parts/icon.tsx";
import { Panel } from "../../parts/layout/panel.tsx";
import { EmptyState } from "../../parts/states/empty-state.tsx";
import { Loaded } from "../../parts/states/loaded.tsx";
import { specPageTexts as texts } from "../../texts/translator/translator.ts";
import { useTranslator } from "../use-translator.ts";
import { ChangeList } from "./change-list.tsx";

interface DriftViewProps {
  spec: SpecReference;
  account: string;
}

/** The account compared with what was last applied. */
export function DriftView({ spec: { kind, name }, account }: DriftViewProps) {
  const translator = useTranslator();
  const query = useQuery({
    queryKey: ["translator", "drift", kind, name, account],
    queryFn: () => translator.drift(kind, name, { account }),
    refetchOnWindowFocus: false,
  });
  return (
    <Loaded query={query}>
      {({ drifted, changes }) => (
        <Panel
          title={texts.driftTitle(account)}
          actions={
            <Button
              size="xs"
              variant="default"
              loading={query.isFetching}
              onClick={() => void query.refetch()}
            >
              {texts.refresh}
            </Button>
          }
        >
          {drifted ? (
            <div className="ar-stack">
              <Alert variant="outline" className="ar-warning" icon={<Icon name="warn" />}>
                {texts.drifted}
              </Alert>
              <ChangeList label={texts.views.drift} changes={changes} />
            </div>
          ) : (
            <EmptyState text={texts.noDrift} />
          )}
        </Panel>
      )}
    </Loaded>
  );
}
