import { Button, Select, Textarea, TextInput } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useUrlFields } from "../../../parts/address/use-url-state.ts";
import { areReadable, entryText, readNumber } from "../../../parts/inputs/number-entry.ts";
import { NumberField } from "../../../parts/inputs/number-field.tsx";
import { Panel } from "../../../parts/layout/panel.tsx";
import { EmptyState } from "../../../parts/states/empty-state.tsx";
import { Loaded } from "../../../parts/states/loaded.tsx";
import { retrievalTexts as texts } from "../../../texts/studio/knowledge.ts";
import { useDaemon } from "../../use-daemon.ts";
import { knowledgeKeys } from "../knowledge-paths.ts";
import { PassageView } from "./passage-view.tsx";
import { readFilters, retrievalFields, retrievalRequest, retrievalRules } from "./retrieval-request.ts";

/** Queries a collection like an agent, and shows the results with their scores. */
export function RetrievalTest({ collection, pipeline }: { collection: string; pipeline: string }) {
  const daemon = useDaemon();
  const [fields, setFields] = useUrlFields(retrievalFields);
  const [written, write] = useState(fields);
  const request = retrievalRequest(fields, { collection, pipeline });
  const query = useQuery({
    queryKey: [...knowledgeKeys.collection(collection), "query", request],
    queryFn: ({ signal }) => daemon.ragQuery(request ?? { query: "" }, signal),
    enabled: request !== undefined,
    placeholderData: keepPreviousData,
  });
  const topK = readNumber(written.k, retrievalRules.k);
  const threshold = readNumber(written.min, retrievalRules.min);
  const isReadable = areReadable([topK, threshold]);
  const hasFilters = readFilters(written.filters) !== undefined;
  return (
    <>
      <Panel title={texts.question}>
        <form
          className="ar-knowledge-form"
          onSubmit={(event) => {
            event.preventDefault();
            if (hasFilters && isReadable) setFields(written);
          }}
        >
          <TextInput
            aria-label={texts.question}
            maxLength={8192}
            value={written.q}
            onChange={(event) => write({ ...written, q: event.currentTarget.value })}
          />
          <div className="ar-knowledge-fields">
            <Select
              label={texts.mode}
              allowDeselect={false}
              data={[
                { value: "", label: texts.useDefault },
                ...Object.entries(texts.modes).map(([value, label]) => ({ value, label })),
              ]}
              value={written.mode}
              onChange={(mode) => write({ ...written, mode: mode ?? "" })}
            />
            <NumberField
              label={texts.topK}
              placeholder={texts.useDefault}
              rules={retrievalRules.k}
              step={1}
              value={topK}
              onChange={(k) => write({ ...written, k: entryText(k) })}
            />
            <NumberField
              label={texts.threshold}
              placeholder={texts.useDefault}
              rules={retrievalRules.min}
              step={0.05}
              value={threshold}
              onChange={(min) => write({ ...written, min: entryText(min) })}
            />
            <Select
              label={texts.rerank}
              allowDeselect={false}
              data={[
                { value: "", label: texts.useDefault },
                { value: "on", label: texts.rerankOn },
                { value: "off", label: texts.rerankOff },
              ]}
              value={written.rerank}
              onChange={(rerank) => write({ ...written, rerank: rerank ?? "" })}
            />
          </div>
          <Textarea
            label={texts.filters}
            description={texts.filtersHint}
            autosize
            minRows={1}
            maxRows={6}
            spellCheck={false}
            classNames={{ input: "ar-mono" }}
            error={hasFilters ? undefined : texts.badFilters}
            value={written.filters}
            onChange={(event) => write({ ...written, filters: event.currentTarget.value })}
          />
          <Button
            type="submit"
            className="ar-views"
            loading={query.isFetching}
            disabled={written.q.trim() === "" || !hasFilters || !isReadable}
          >
            {texts.find}
          </Button>
        </form>
      </Panel>
      {request === undefined ? (
        <EmptyState text={texts.none} />
      ) : (
        <Loaded query={query}>
          {({ results }) =>
            results.length === 0 ? (
              <EmptyState text={texts.nothing} />
            ) : (
              <Panel title={texts.results(results.length)}>
                <ol className="ar-passages">
                  {results.map((passage) => (
                    <PassageView
                      key={`${passage.citation.document_id} ${passage.citation.start}`}
                      collection={collection}
                      passage={passage}
                    />
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
