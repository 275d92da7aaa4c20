import { Button, TextInput } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { PassagePlace } from "../../../documents/passage-place.tsx";
import { PassageScore } from "../../../documents/passage-score.tsx";
import { useUrlState } from "../../../parts/address/use-url-state.ts";
import { Panel } from "../../../parts/layout/panel.tsx";
import { EmptyState } from "../../../parts/states/empty-state.tsx";
import { Loaded } from "../../../parts/states/loaded.tsx";
import { formatNumber } from "../../../parts/text/format.ts";
import { tenantCollectionTexts as texts } from "../../../texts/platform/documents.ts";
import { usePlatform } from "../../use-platform.ts";
import { documentKeys } from "./document-keys.ts";

interface SearchTestProps {
  tenantId: string;
  collection: string;
  isThere: boolean;
}

/** Searches a collection as an agent would, and shows the passages found. */
export function SearchTest({ tenantId, collection, isThere }: SearchTestProps) {
  const platform = usePlatform(tenantId);
  const [asked, ask] = useUrlState("q");
  const [written, write] = useState(asked);
  const query = useQuery({
    queryKey: documentKeys(tenantId).search(collection, asked),
    queryFn: ({ signal }) => platform.queryCollection(collection, { query: asked }, signal),
    enabled: asked !== "" && isThere,
    placeholderData: keepPreviousData,
  });
  return (
    <>
      <Panel title={texts.question}>
        <form
          className="ar-knowledge-form"
          onSubmit={(event) => {
            event.preventDefault();
            ask(written.trim());
          }}
        >
          <TextInput
            aria-label={texts.question}
            maxLength={8192}
            value={written}
            onChange={(event) => write(event.currentTarget.value)}
          />
          <Button
            type="submit"
            className="ar-views"
            loading={query.isFetching}
            disabled={written.trim() === ""}
          >
            {texts.find}
          </Button>
        </form>
      </Panel>
      {asked === "" || !isThere ? (
        <EmptyState text={isThere ? texts.noQuestion : texts.notYet} />
      ) : (
        <Loaded query={query}>
          {({ results }) =>
            results.length === 0 ? (
              <EmptyState text={texts.nothing} />
            ) : (
              <Panel title={texts.results(results.length)}>
                <ol className="ar-passages">
                  {results.map(({ text, score, citation: { document_id, chunk, start, end, ...place } }) => (
                    <li key={`${document_id} ${start}`} className="ar-passage">
                      <PassageScore label={texts.score} score={score} />
                      <div>
                        <div className="ar-passage-place">
                          <strong className="ar-break">{document_id}</strong>
                          <PassagePlace {...place} />
                          <span className="ar-soft">
                            {texts.place(formatNumber(chunk), formatNumber(start), formatNumber(end))}
                          </span>
                        </div>
                        <div className="ar-break">{text}</div>
                      </div>
                    </li>
                  ))}
                </ol>
              </Panel>
            )
          }
        </Loaded>
      )}
    </>
  );
}
